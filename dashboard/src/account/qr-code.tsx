/** A QR code as one shape, dark on light in both schemes, since not every camera reads the other way round. QrCode { text, label } */
import { encode } from "uqr";

export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { size, data } = encode(text, { border: 2, ecc: "M" });
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      width={184}
      height={184}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#ffffff" />
      <path d={squares.join("")} fill="#171f25" />
    </svg>
  );
}
