/** One file of an archive. */
export interface ZipEntry {
  name: string;
  bytes: Uint8Array;
}

/**
 * A ZIP archive of files as they are, without compression: all that a spreadsheet file needs, and nothing from outside.
 * Names are ASCII; times are the format's zero (1980), so that the same content gives the same bytes.
 */
export function zipStored(entries: readonly ZipEntry[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const nameBytes = new TextEncoder().encode(name);
    const shared = sharedFields(bytes, nameBytes.length);
    const local = concat([littleEndian(0x04034b50, 4), shared, nameBytes]);
    directory.push(
      concat([
        littleEndian(0x02014b50, 4),
        littleEndian(20, 2),
        shared,
        new Uint8Array(10),
        littleEndian(offset, 4),
        nameBytes,
      ]),
    );
    parts.push(local, bytes);
    offset += local.length + bytes.length;
  }
  const central = concat(directory);
  const end = concat([
    littleEndian(0x06054b50, 4),
    new Uint8Array(4),
    littleEndian(entries.length, 2),
    littleEndian(entries.length, 2),
    littleEndian(central.length, 4),
    littleEndian(offset, 4),
    new Uint8Array(2),
  ]);
  return concat([...parts, central, end]);
}

/** Version, flags, method, time, date, check sum, sizes, lengths of name and extra field: alike in both headers. */
function sharedFields(bytes: Uint8Array, nameLength: number): Uint8Array {
  return concat([
    littleEndian(20, 2),
    littleEndian(0, 2),
    littleEndian(0, 2),
    littleEndian(0, 2),
    littleEndian(0x21, 2),
    littleEndian(crc32(bytes), 4),
    littleEndian(bytes.length, 4),
    littleEndian(bytes.length, 4),
    littleEndian(nameLength, 2),
    littleEndian(0, 2),
  ]);
}

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const byte of bytes) c = table[(c ^ byte) & 0xff]! ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

function littleEndian(value: number, bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, i) => (value >>> (8 * i)) & 0xff);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
