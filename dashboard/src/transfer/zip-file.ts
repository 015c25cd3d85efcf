/** Several texts as one file to download: a zip archive whose files are stored as they are. */

export interface NamedText {
  readonly name: string;
  readonly text: string;
}

const LOCAL_HEADER = 0x04034b50;
const DIRECTORY_ENTRY = 0x02014b50;
const DIRECTORY_END = 0x06054b50;
const VERSION = 20;
/** Names are in UTF-8. */
const FLAGS = 0x0800;

export function makeZip(files: readonly NamedText[], at: Date): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, text } of files) {
    const nameBytes = encoder.encode(name);
    const data = encoder.encode(text);
    const facts = [...momentOf(at), crc32(data), data.length, data.length] as const;
    const local = [
      ...write([4, LOCAL_HEADER], [2, VERSION], [2, FLAGS], [2, 0]),
      ...writeFacts(facts, nameBytes.length),
    ];
    const entry = [
      ...write([4, DIRECTORY_ENTRY], [2, VERSION], [2, VERSION], [2, FLAGS], [2, 0]),
      ...writeFacts(facts, nameBytes.length),
      ...write([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]),
    ];
    pieces.push(Uint8Array.from(local), nameBytes, data);
    directory.push(Uint8Array.from(entry), nameBytes);
    offset += local.length + nameBytes.length + data.length;
  }
  const directoryBytes = directory.reduce((sum, { length }) => sum + length, 0);
  const count = files.length;
  const end = write(
    [4, DIRECTORY_END],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, directoryBytes],
    [4, offset],
    [2, 0],
  );
  return join([...pieces, ...directory, Uint8Array.from(end)]);
}

type Facts = readonly [time: number, day: number, crc: number, packed: number, size: number];

function writeFacts([time, day, crc, packed, size]: Facts, nameLength: number): number[] {
  return write([2, time], [2, day], [4, crc], [4, packed], [4, size], [2, nameLength], [2, 0]);
}

/** Little-endian, each in as many bytes as it says. */
function write(...fields: readonly (readonly [bytes: number, value: number])[]): number[] {
  return fields.flatMap(([bytes, value]) =>
    Array.from({ length: bytes }, (_, index) => (value >>> (8 * index)) & 0xff),
  );
}

/** As DOS wrote it, in the local time zone. */
function momentOf(at: Date): [time: number, day: number] {
  return [
    (at.getHours() << 11) | (at.getMinutes() << 5) | (at.getSeconds() >> 1),
    ((at.getFullYear() - 1980) << 9) | ((at.getMonth() + 1) << 5) | at.getDate(),
  ];
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function join(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
