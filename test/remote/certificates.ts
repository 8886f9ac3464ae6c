import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Certificates {
  readonly ca: string;
  readonly key: string;
  readonly cert: string;
}

/** Writes the certificate of a server at some addresses into a folder, and of the CA that signed it. */
export function makeCertificates(folder: string, addresses: readonly string[]): Certificates {
  mkdirSync(folder, { recursive: true });
  const file = (name: string) => join(folder, name);
  const openssl = (...words: string[]) => execFileSync("openssl", words, { stdio: "ignore" });
  const made = { ca: file("ca.pem"), key: file("key.pem"), cert: file("cert.pem") };
  const request = file("cert.csr");
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const own = ["-x509", ...key, "-subj", "/CN=test ca", "-days", "2"];
  openssl("req", ...own, "-keyout", file("ca-key.pem"), "-out", made.ca);
  openssl("req", ...key, "-subj", "/CN=member", "-keyout", made.key, "-out", request);
  writeFileSync(
    file("names"),
    `subjectAltName=${addresses.map((address) => `IP:${address}`).join(",")}\n`,
  );
  const signer = ["-CA", made.ca, "-CAkey", file("ca-key.pem"), "-CAcreateserial", "-days", "2"];
  const signed = ["-extfile", file("names"), "-in", request, "-out", made.cert];
  openssl("x509", "-req", ...signer, ...signed);
  return made;
}
