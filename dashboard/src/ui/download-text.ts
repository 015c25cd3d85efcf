/** Hands a text to the browser as a file. */
export function downloadText(fileName: string, text: string, type = "text/plain"): void {
  downloadBlob(fileName, new Blob([text], { type: `${type};charset=utf-8` }));
}

export function downloadBytes(fileName: string, bytes: Uint8Array<ArrayBuffer>, type: string): void {
  downloadBlob(fileName, new Blob([bytes], { type }));
}

function downloadBlob(fileName: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  // The browser has the file by the next turn.
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
