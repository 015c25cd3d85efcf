/**
 * The built dashboard, read once and kept. Requests are answered from a map of the files that were there at start, so that no path can
 * lead anywhere else, and a build that is made while the server runs changes nothing under its visitors' feet.
 */
import { readdirSync, statSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { readBounded } from "../store/bounded-file.ts";
import { codeOf } from "../store/store-error.ts";
import { tagOfContent } from "./answer.ts";
import { type Coding, readWeights } from "./compression.ts";

/** In index.html, where the nonce of an answer's styles goes. */
const NONCE_PLACE = "__STYLE_NONCE__";
const PAGE_FILE = "index.html";
/** Vite names these by their content. */
const HASHED = "/assets/";
/** Many times what the dashboard is. */
const FILES_MAX = 2_000;
const BYTES_MAX = 64 * 1024 * 1024;

const CODINGS = { br: ".br", gzip: ".gz" } as const satisfies Record<Coding, string>;

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".woff2": "font/woff2",
};

export interface DashboardFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Made at the build, where it is worth it. */
  readonly compressed: Readonly<Partial<Record<Coding, Buffer>>>;
  readonly etag: string;
  /** What is under this name never changes. */
  readonly isImmutable: boolean;
}

export interface DashboardBuild {
  /** By the path that they are served under. */
  readonly files: ReadonlyMap<string, DashboardFile>;
  /** The page that every address of the dashboard shows. */
  makePage(nonce: string): string;
}

/** Undefined where nothing was built yet. */
export function readDashboard(folder: string): DashboardBuild | undefined {
  try {
    return readBuild(folder);
  } catch (error) {
    // A new build may have taken its place between the look into the folder and that into a file; it is there whole now.
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return readBuild(folder);
    throw error;
  }
}

function readBuild(folder: string): DashboardBuild | undefined {
  const raw = readAll(folder);
  const page = raw.get(`/${PAGE_FILE}`)?.toString("utf8");
  if (page === undefined) return undefined;
  const files = new Map<string, DashboardFile>();
  for (const [path, bytes] of raw) {
    if (path !== `/${PAGE_FILE}` && !Object.values(CODINGS).includes(extname(path) as ".br")) {
      files.set(path, describeFile(path, bytes, raw));
    }
  }
  return { files, makePage: (nonce) => page.replaceAll(NONCE_PLACE, nonce) };
}

/** All at once and waited for: nobody is served yet, and it is over in a moment. */
function readAll(folder: string): Map<string, Buffer> {
  const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  const entries = isThere ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  // What begins with a dot is the build's own business.
  const found = entries.filter((entry) => entry.isFile() && !entry.name.startsWith("."));
  if (found.length > FILES_MAX)
    throw new Error(`${folder} holds ${found.length} files, which is no build of the dashboard.`);
  const raw = new Map<string, Buffer>();
  let total = 0;
  for (const entry of found) {
    const file = join(entry.parentPath, entry.name);
    // No build of the dashboard is larger.
    const bytes = readBounded(file, BYTES_MAX - total);
    total += bytes.length;
    raw.set(`/${relative(folder, file).split(sep).join("/")}`, bytes);
  }
  return raw;
}

function describeFile(path: string, bytes: Buffer, raw: ReadonlyMap<string, Buffer>): DashboardFile {
  const compressed: Partial<Record<Coding, Buffer>> = {};
  for (const coding of Object.keys(CODINGS) as Coding[]) {
    const smaller = raw.get(path + CODINGS[coding]);
    if (smaller !== undefined) compressed[coding] = smaller;
  }
  return {
    type: TYPES[extname(path)] ?? "application/octet-stream",
    bytes,
    compressed,
    // Weak, because all forms of a file share it.
    etag: tagOfContent(bytes),
    isImmutable: path.startsWith(HASHED),
  };
}

/** The smallest form of a file that the client takes; undefined for the file as it is. */
export function pickCoding(acceptEncoding: string | undefined, file: DashboardFile): Coding | undefined {
  const weightOf = readWeights(acceptEncoding);
  return (["br", "gzip"] as const).find((coding) => file.compressed[coding] !== undefined && weightOf(coding) > 0);
}
