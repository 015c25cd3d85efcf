/** Takes single settings out of an environment and gathers what is wrong with them; which ones there are, `config.ts` knows. */
import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import { SETTINGS } from "./settings.ts";
import { readBounded, SMALL_FILE_MAX_BYTES, UnfitFile } from "./store/bounded-file.ts";
import { codeOf, reasonOf } from "./store/store-error.ts";

export class SettingReader {
  readonly env: NodeJS.ProcessEnv;
  readonly faults: string[] = [];
  readonly warnings: string[] = [];

  constructor(env: NodeJS.ProcessEnv) {
    this.env = env;
  }

  refuse(fault: string): undefined {
    this.faults.push(fault);
    return undefined;
  }

  /** An empty value means unset, as in a compose file whose variable has none. */
  find(name: string): string | undefined {
    const value = this.env[name]?.trim();
    return value === undefined || value === "" ? undefined : value;
  }

  read(name: string): string {
    return this.find(name) ?? SETTINGS.find((setting) => setting.name === name)?.default ?? "";
  }

  findSecret(name: string): string | undefined {
    const value = this.find(name);
    const file = this.find(`${name}_FILE`);
    if (file === undefined) return value;
    if (value !== undefined) return this.refuse(`${name} and ${name}_FILE are both set. Keep one of them.`);
    try {
      const content = readBounded(file, SMALL_FILE_MAX_BYTES)
        .toString("utf8")
        .replace(/[\r\n]+$/, "");
      if (content !== "") return content;
      return this.refuse(`${name}_FILE names ${file}, which is empty. Write the value into it, or unset ${name}_FILE.`);
    } catch (error) {
      return this.#refuseFile(`${name}_FILE`, file, error);
    }
  }

  readInteger(name: string, min: number, max: number): number {
    const text = this.read(name);
    const value = Number(text);
    if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
    this.refuse(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
    return min;
  }

  findReadableFile(name: string): string | undefined {
    const value = this.find(name);
    if (value === undefined) return undefined;
    const file = resolve(value);
    try {
      accessSync(file, constants.R_OK);
      if (statSync(file).isFile()) return file;
      return this.refuse(`${name} names ${file}, which is not a file. Name the PEM file itself.`);
    } catch (error) {
      return this.#refuseFile(name, file, error);
    }
  }

  #refuseFile(name: string, file: string, error: unknown): undefined {
    return this.refuse(`${name} names ${file}, which cannot be read (${explain(error)}). Name a readable file.`);
  }

  /** Whether a fault of a setting whose name begins so was found: what follows from it need not be told as well. */
  hasFaultOf(start: string): boolean {
    return this.faults.some((fault) => fault.startsWith(start));
  }
}

function explain(error: unknown): string {
  if (error instanceof UnfitFile) return error.reason;
  const code = codeOf(error);
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES") return "this user may not read it";
  return reasonOf(error);
}
