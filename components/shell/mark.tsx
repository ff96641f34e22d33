export function Mark({ size = 18 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 18 18" fill="none" stroke="currentColor" strokeWidth="1.6" aria-hidden>
      <path d="M2 3v9.5h14V3M5 12.5V8h8v4.5M2 15.5h14" />
    </svg>
  )
}
