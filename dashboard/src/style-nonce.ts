/**
 * The nonce with which the server's policy lets our own style elements in. What makes such elements needs it: Mantine, and the
 * library under its dialogs that holds the page still, which looks for it under a name of its own.
 */
export function readStyleNonce(): string {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? "";
  Object.assign(globalThis, { __webpack_nonce__: nonce });
  return nonce;
}
