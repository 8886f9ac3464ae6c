const table = makeTable();

/** The CRC-32 of zip and PNG as eight hex digits; `zlib.crc32` is missing from early Node 20. */
export function crc32(bytes: Uint8Array): string {
  let crc = -1;
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
  return (~crc >>> 0).toString(16).padStart(8, "0");
}

function makeTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, index) => {
    let crc = index;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    return crc;
  });
}
