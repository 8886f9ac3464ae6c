/**
 * The scans of a collaboration's documents (originals.md 2.5): what the original's patterns see in
 * them, and which faults follow. All are linear in the text.
 */
export { conclusionFaults } from "./conclusion.ts";
export { acceptanceFaults, gateFaults, readinessFaults, readinessItems } from "./readiness.ts";
export { reviewHeading } from "./review-headings.ts";
