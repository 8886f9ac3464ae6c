/** Installs the Node that the brain's tests need, where there is none yet; `test:brain` fails without. */
import { findBrainNode } from "./brain-node.ts";

const node = await findBrainNode();
console.log("missing" in node ? `*** ${node.missing}` : `ready: ${node.path}`);
