/** Our sign: three lines of a line-up. */
export function Logo({ size = 26 }: { readonly size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#1c6b86" />
      <g fill="#fff">
        <rect x="7" y="8" width="18" height="4" rx="2" />
        <rect x="7" y="14" width="12" height="4" rx="2" opacity=".85" />
        <rect x="7" y="20" width="15" height="4" rx="2" opacity=".7" />
      </g>
    </svg>
  );
}
