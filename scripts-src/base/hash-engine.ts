import { ConsultaError } from "./errors.ts";
import { hashModuleBytes } from "./hash-module.ts";
import { whenNeeded } from "./when-needed.ts";

/** What `build/hash-module.ts` makes; a number is a word of 32 bits. */
export interface HashEngine {
  sipStart(k0: number, k1: number, k2: number, k3: number): void;
  sip1(low: number, high: number): void;
  sip2(low: number, high: number, nextLow: number, nextHigh: number): void;
  sipEnd(): void;
  sipWord(): number;
  shaStart(): void;
  shaBlock(...words: readonly number[]): void;
  shaWord(): number;
}

/** What of WebAssembly is used: TypeScript declares it for browsers only. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: HashEngine };
};

/**
 * SHA-256 and SipHash as WebAssembly: every start hashes a few kB, in code that no compiler has seen
 * yet, and loading node:crypto takes longer than all of this. One state: a hash is made in one go.
 * Throws ConsultaError UNAVAILABLE in an engine without WebAssembly.
 */
export const hashEngine = whenNeeded(() => {
  if (typeof WebAssembly === "undefined") {
    const reason = "this Node runs without WebAssembly, which proves what is stored";
    throw new ConsultaError("UNAVAILABLE", `${reason}: start it without --jitless`);
  }
  const module = new WebAssembly.Module(Buffer.from(hashModuleBytes, "base64"));
  return new WebAssembly.Instance(module).exports;
});
