/** Which window a client's address draws on. */
import { isIPv4, isIPv6 } from "node:net";

/** Whatever is no address shares one window: made-up text must not buy anybody a fresh one. */
const NO_ADDRESS = "unknown";

/** The name of the window an address draws on: an IPv4 address itself, the /64 of an IPv6 one. */
export function addressBucket(address: string): string {
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return NO_ADDRESS;
  const groups = parseIPv6(address);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const [high = 0, low = 0] = groups.slice(6);
    return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`;
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

/** The eight groups of an address that is known to be well-formed; its zone is of no interest. */
function parseIPv6(address: string): number[] {
  const [withoutZone = ""] = address.split("%", 1);
  const [before = "", after] = withoutZone.split("::");
  const head = parseGroups(before);
  if (after === undefined) return head;
  const tail = parseGroups(after);
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function parseGroups(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
