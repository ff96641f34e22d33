import { below as isBelow } from '@/lib/domain/skew/version'
import type { BootImageCard } from '@/lib/services/skew/get-card'

const parts = (version: string): [number, number] => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return [major, minor]
}
/** Minor releases in a row; 5.0 follows 4.23. */
const place = (version: string): number => {
  const [major, minor] = parts(version)
  return major >= 5 ? 24 + (major - 5) * 12 + minor : minor
}

/** Where the recorded version stands: releases on a line, the floor dashed, the record as a point. Only for OCP versions, and a floor that is known. */
export function FloorLine({ card }: { card: BootImageCard }) {
  const recorded = card.recorded.ocpVersion
  const floor = card.floor.ocp
  if (card.distance === null || !recorded || !floor || !card.version || !/^[45]\.\d+\.\d+$/.test(recorded)) return null
  const first = Math.min(place(recorded), place(floor)) - 2
  const last = Math.max(place(card.version), place(recorded), place(floor)) + 1
  const x = (at: number) => 16 + ((at - first) / (last - first)) * 488
  // Whatever the verdict is about: a record may be below it while the operator fails, or is at it.
  const below = isBelow(recorded, floor)
  const at = (version: string) => x(place(version))
  const apart = Math.abs(at(recorded) - at(card.version))
  return (
    <svg
      viewBox="0 0 520 64"
      className="w-full max-w-[560px] overflow-visible"
      role="img"
      aria-label={`Recorded ${recorded}${below ? ', below the floor' : ''}, floor ${floor}, the cluster runs ${card.version}.`}
    >
      <line x1={8} x2={512} y1={32} y2={32} stroke="var(--line-strong)" />
      {Array.from({ length: last - first + 1 }, (_, i) => (
        <line key={i} x1={x(first + i)} x2={x(first + i)} y1={29} y2={35} stroke="var(--line-strong)" />
      ))}
      <line x1={at(floor)} x2={at(floor)} y1={20} y2={44} stroke="var(--ink)" strokeDasharray="2 2" />
      <text
        x={at(floor)}
        y={57}
        fontSize={11}
        className="max-phone:text-[16px]"
        textAnchor="middle"
        fill="var(--ink-2)"
      >
        floor {floor.replace(/\.0$/, '')} · RHEL {card.floor.rhel}
      </text>
      {apart >= 84 && (
        <text
          x={at(card.version)}
          y={14}
          fontSize={11}
          // Its letters are larger there, and would lie on those of the record.
          className={apart < 120 ? 'max-phone:hidden' : 'max-phone:text-[16px]'}
          textAnchor="end"
          fill="var(--ink-3)"
        >
          runs {card.version}
        </text>
      )}
      <circle cx={at(card.version)} cy={32} r={4} fill="var(--panel)" stroke="var(--ink-3)" />
      <circle cx={at(recorded)} cy={32} r={6} fill={below ? 'var(--blocked)' : 'var(--done)'} />
      {below && (
        <path
          d={`M${at(recorded) - 2.5} 29.5l5 5m0-5l-5 5`}
          stroke="var(--panel)"
          strokeWidth={1.6}
          fill="none"
          aria-hidden
        />
      )}
      <text
        x={at(recorded)}
        y={14}
        fontSize={11}
        className="max-phone:text-[16px]"
        textAnchor="middle"
        fill="var(--ink-2)"
      >
        {recorded}
      </text>
    </svg>
  )
}
