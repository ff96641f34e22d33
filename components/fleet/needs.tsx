'use client'

import Link from 'next/link'
import { SmallHull } from '@/components/hull'
import { Duration, LinkButton } from '@/components/ui'
import type { Need } from '@/lib/services/fleet/needs-you'

const MARKS: Record<Need['kind'], { sign: string; className: string; word: string }> = {
  watch: { sign: '◌', className: 'text-blocked', word: 'Watch down' },
  unapproved: { sign: '▲', className: 'text-needs-ink', word: 'Moves unapproved' },
  remediated: { sign: '✕', className: 'text-blocked', word: 'Remediated' },
  stuck: { sign: '✕', className: 'text-blocked', word: 'Stuck' },
  hangs: { sign: '✕', className: 'text-blocked', word: 'Being deleted' },
  stopped: { sign: '✕', className: 'text-blocked', word: 'Stopped' },
  failed: { sign: '✕', className: 'text-blocked', word: 'Failed' },
  latch: { sign: '✕', className: 'text-blocked', word: 'Not protected' },
  'latch-refuses': { sign: '✕', className: 'text-blocked', word: 'Writes refused' },
  'latch-unknown': { sign: '◌', className: 'text-blocked', word: 'Latch not known' },
  'gate-gone': { sign: '✕', className: 'text-blocked', word: 'Gate taken away' },
  'gate-left': { sign: '✕', className: 'text-blocked', word: 'Gate not registered' },
  halfway: { sign: '✕', className: 'text-blocked', word: 'Halfway' },
  skew: { sign: '▲', className: 'text-needs-ink', word: 'Boot image skew' },
  'pass-failed': { sign: '▲', className: 'text-needs-ink', word: 'Boot images not updated' },
  'skew-unheard': { sign: '◌', className: 'text-blocked', word: 'Boot images not heard' },
  pool: { sign: '▲', className: 'text-needs-ink', word: 'Pool' },
  'pool-review': { sign: '●', className: 'text-needs-ink', word: 'Pause review' },
  'skew-review': { sign: '●', className: 'text-needs-ink', word: 'Boot image review' },
  gate: { sign: '●', className: 'text-needs-ink', word: 'Gate' },
  paused: { sign: '●', className: 'text-needs-ink', word: 'Paused' },
  approval: { sign: '●', className: 'text-needs-ink', word: 'Approval' },
  more: { sign: '…', className: 'text-ink-3', word: 'More' },
  blocked: { sign: '✕', className: 'text-blocked', word: 'Blocked' },
}

const DANGEROUS = { sign: '✕', className: 'text-blocked', word: 'Dangerous' }

/** What does not go on without a person, each with the one thing to do. */
export function Needs({ needs }: { needs: Need[] }) {
  return (
    <ul className="mt-3 grid grid-cols-[16px_minmax(180px,240px)_minmax(0,1fr)_auto_auto] gap-x-3 border-t border-line max-phone:grid-cols-[16px_minmax(0,1fr)]">
      {needs.map((need) => {
        const mark = need.dangerous ? DANGEROUS : MARKS[need.kind]
        return (
          <li
            key={`${need.kind}${need.id}`}
            data-row
            className="col-span-full grid grid-cols-subgrid items-center border-b border-line py-2 last:border-b-0 data-cursor:shadow-[inset_2px_0_var(--focus)] max-phone:gap-y-1.5"
          >
            <span aria-hidden className={`text-center text-xs ${mark.className}`}>
              {mark.sign}
            </span>
            <Link href={need.action.href} className="font-medium break-words hover:underline">
              <span className="sr-only">{mark.word}: </span>
              {need.where}
            </Link>
            <p className="min-w-0 max-phone:col-start-2">
              <span className="text-pretty wrap-anywhere">{need.sentence}</span>
              <span className="block text-sm wrap-anywhere text-ink-3">
                {need.detail}
                {need.since && (
                  <>
                    {need.detail && ' · '}
                    <Duration from={need.since} />
                  </>
                )}
              </span>
            </p>
            <span className="max-phone:col-start-2 max-phone:row-start-3">
              {need.hull && <SmallHull data={need.hull} held={need.held} className="max-w-[340px]" />}
            </span>
            <LinkButton
              href={need.action.href}
              className="max-phone:col-start-2"
              tone={need.kind === 'approval' ? 'primary' : 'plain'}
            >
              {need.action.label}
            </LinkButton>
          </li>
        )
      })}
    </ul>
  )
}
