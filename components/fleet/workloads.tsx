'use client'

import Link from 'next/link'
import type { ReadonlyURLSearchParams } from 'next/navigation'
import { PASS_FAILED, verdictOf } from '@/components/boot-images/words'
import { SmallHull } from '@/components/hull'
import { Chip, count, Pager, Table, Td, Th, Tr, Version } from '@/components/ui'
import { failedSentence } from '@/lib/domain/boot-images/failed-pass'
import type { Fleet, WorkloadDto } from '@/lib/services/fleet/get-fleet'

/** Every workload cluster in one row. */
export function Workloads({ fleet, params }: { fleet: Fleet; params: ReadonlyURLSearchParams }) {
  const openshift = fleet.workloads.some((w) => w.skew)
  return (
    <>
      <Table label="Workload clusters">
        <thead>
          <tr>
            <Th>cluster</Th>
            <Th wide>managed by</Th>
            <Th>version</Th>
            <Th wide>control plane</Th>
            <Th>workers</Th>
            {openshift && <Th wide>boot images</Th>}
            <Th wide>updates</Th>
            <Th num>available</Th>
            <Th num wide>
              up to date
            </Th>
          </tr>
        </thead>
        <tbody>
          {fleet.workloads.map((w) => (
            <Tr key={w.id}>
              <Td className="whitespace-nowrap max-phone:max-w-[34vw] max-phone:truncate" title={w.name}>
                <Link
                  href={machinesHref(w)}
                  prefetch={false}
                  className="font-medium hover:underline max-phone:block max-phone:truncate max-phone:leading-6"
                >
                  {w.name}
                </Link>
                {/* Two of the same name are told apart by what manages them. */}
                {fleet.totals.clusters > 1 && (
                  <span className="hidden truncate text-sm text-ink-3 max-phone:block">{w.cluster}</span>
                )}
                <span className="hidden text-sm text-ink-2 not-empty:mt-1 max-phone:block [&_a]:inline-flex [&_a]:min-h-6 [&_a]:items-center">
                  <Updates workload={w} />
                </span>
                {/* There is no room for its column: what is bad of it stands here. */}
                {w.skew && skewIsBad(w) && (
                  <span className="mt-1 hidden text-sm max-phone:block [&_a]:min-h-6">
                    <span className="block text-ink-3">boot images</span>
                    <Skew workload={w} />
                  </span>
                )}
              </Td>
              <Td wide className="text-ink-2">
                {w.cluster}
              </Td>
              <Td>
                <Version>{w.version}</Version>
              </Td>
              <Td wide>
                <SmallHull data={w.controlPlane} />
              </Td>
              <Td className="min-w-24">
                <SmallHull data={w.workers} />
              </Td>
              {openshift && <Td wide>{w.skew && <Skew workload={w} />}</Td>}
              <Td wide className="text-sm text-ink-2">
                <Updates workload={w} />
              </Td>
              <Td
                num
                className={w.available < w.wanted ? 'font-medium whitespace-nowrap' : 'whitespace-nowrap'}
                title={w.wanted > w.total ? `${count(w.wanted - w.total, 'machine')} wanted and not there` : undefined}
              >
                {w.available} of {w.wanted}
              </Td>
              <Td num wide className="whitespace-nowrap">
                {w.total - w.outdated} of {w.wanted}
              </Td>
            </Tr>
          ))}
        </tbody>
      </Table>
      <Pager
        shown={fleet.workloads.length}
        total={fleet.totals.workloads}
        next={fleet.after && at(params, fleet.after)}
        top={params.get('after') && at(params, null)}
      />
    </>
  )
}

const machinesHref = (w: WorkloadDto) => `/machines?${new URLSearchParams({ cluster: w.cluster, workload: w.name })}`

function at(params: ReadonlyURLSearchParams, after: string | null): string {
  const next = new URLSearchParams(params)
  if (after) next.set('after', after)
  else next.delete('after')
  return `/?${next}`
}

/** All that there is to say: what is under way beside what waits is not left out. */
function Updates({ workload: w }: { workload: WorkloadDto }) {
  const href = (tab: string) => `/updates?${new URLSearchParams({ tab, cluster: w.cluster, workload: w.name })}`
  const going = [
    // Of a Cluster that is paused nothing goes on.
    w.rolling > 0 && `${w.rolling} ${w.paused ? 'on the way' : 'rolling out'}`,
    w.kept > 0 && `${w.kept} paused on the way`,
  ].filter(Boolean)
  const waiting = w.held + w.waits + w.ownPause + w.rejected > 0
  if (w.stuck === 0 && !waiting && going.length === 0) return w.paused ? <Chip>paused</Chip> : null
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      {w.stuck > 0 && (
        <Link href={href('running')} prefetch={false}>
          <Chip tone="bad">{w.stuck} stuck</Chip>
        </Link>
      )}
      {waiting && (
        <Link href={href('waiting')} prefetch={false} className="inline-flex flex-wrap gap-1">
          {w.stopped > 0 && <Chip tone="bad">{w.stopped} stopped</Chip>}
          {w.held > w.stopped && <Chip tone="needs">{w.held - w.stopped} held</Chip>}
          {w.waits > 0 && <Chip tone="needs">{w.waits} waiting</Chip>}
          {w.ownPause > 0 && <Chip>{w.ownPause} paused by somebody</Chip>}
          {w.rejected > 0 && <Chip>{w.rejected} rejected</Chip>}
        </Link>
      )}
      {going.length > 0 && (
        <Link href={href('running')} prefetch={false} className="hover:underline">
          {going.join(', ')}
        </Link>
      )}
      {w.paused && <Chip>its Cluster is paused</Chip>}
    </span>
  )
}

const skewIsBad = (w: WorkloadDto) => w.passFailed !== null || verdictOf(w.skew, w.skewCloses).tone === 'bad'

function Skew({ workload: w }: { workload: WorkloadDto }) {
  const { words, tone } = verdictOf(w.skew, w.skewCloses)
  return (
    <Link
      href={`/boot-images?cluster=${encodeURIComponent(w.cluster)}`}
      prefetch={false}
      title={[w.skewSentence, w.passFailed && failedSentence(w.passFailed)].filter(Boolean).join(' ') || undefined}
      className="inline-flex flex-wrap gap-1"
    >
      <Chip tone={w.passFailed && tone === 'good' ? 'plain' : tone}>{words}</Chip>
      {w.passFailed && <Chip tone="bad">{PASS_FAILED}</Chip>}
    </Link>
  )
}
