/**
 * Whether AI CLIs read a file of this name as their user's instructions, in every folder they work in:
 * a document so named would talk to each later session. As file systems that know one case compare names.
 */
export function isInstructions(name: string): boolean {
  return /^(?:claude(?:\.local)?|gemini|agents?(?:\.override)?|qwen|crush|skill)\.md[ .]*$/iu.test(
    name.normalize("NFC"),
  );
}
