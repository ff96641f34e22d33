import type { Frame } from '@/lib/domain/rollout/forecast/types'

const [WIDTH, HEIGHT] = [1000, 64]

/** Machines over time: how many there are, how many are available, and the floor; the line marks the chosen moment. */
export function CourseChart({
  frames,
  floor,
  ends,
  at,
}: {
  frames: Frame[]
  floor: number | null
  ends: number
  at: number
}) {
  const most = Math.max(1, ...frames.map(({ machines }) => machines))
  const x = (ms: number) => (ends === 0 ? 0 : (ms / ends) * WIDTH)
  const y = (n: number) => HEIGHT - 2 - (n / most) * (HEIGHT - 4)
  const line = (of: (frame: Frame) => number) =>
    frames
      .map((frame, i) => `${i === 0 ? 'M' : 'H'}${x(frame.at)}${i === 0 ? ` ${y(of(frame))}` : `V${y(of(frame))}`}`)
      .join('') + `H${WIDTH}`
  const area = `${line((f) => f.available)}V${HEIGHT}H0Z`
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
      className="block h-16 w-full rounded-md border border-line bg-panel"
    >
      <path d={area} fill="var(--in-place-soft)" />
      <path d={line((f) => f.machines)} className="fill-none stroke-line-strong" vectorEffect="non-scaling-stroke" />
      <path
        d={line((f) => f.available)}
        fill="none"
        stroke="var(--in-place)"
        strokeWidth={1.5}
        vectorEffect="non-scaling-stroke"
      />
      {floor !== null && (
        <path
          d={`M0 ${y(floor)}H${WIDTH}`}
          fill="none"
          stroke="var(--blocked)"
          strokeDasharray="4 4"
          vectorEffect="non-scaling-stroke"
        />
      )}
      <path d={`M${x(at)} 0V${HEIGHT}`} fill="none" stroke="var(--ink)" vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
