export function Palette({ onClose }: { readonly onClose: () => void }) {
  onClose();
  return null;
}
