/** Names in shared memory: a byte for each character, for what we name ourselves is Latin-1. */

export function writeName(bytes: Uint8Array, at: number, name: string): void {
  for (let index = 0; index < name.length; index++) bytes[at + index] = name.charCodeAt(index);
}

export function isSameName(bytes: Uint8Array, at: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) if (bytes[at + index] !== name.charCodeAt(index)) return false;
  return true;
}

/** Throws where a name has no place in memory. */
export function requireName(name: string, maxLength: number): void {
  if (name.length > maxLength || /[^\0-\xff]/.test(name)) {
    throw new Error(
      `The limits cannot count "${name}": ids must be at most ${maxLength} characters of Latin-1. Make another.`,
    );
  }
}
