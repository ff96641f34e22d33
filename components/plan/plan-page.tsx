'use client'

import { useRef, useState } from 'react'
import { useAction } from '@/components/live'
import { Button, EmptyState, ErrorState, problemOf, Select } from '@/components/ui'
import type { ActionResult } from '@/lib/auth'
import type { GoingBack } from '@/lib/services/plan/going-back'
import type { PlanChoices } from '@/lib/services/plan/plan-choices'
import type { PlanResult } from '@/lib/services/plan/types'
import { ManifestsField } from './manifests-field'
import { PlanOutcome } from './plan-outcome'
import { RollBack, type RollBackActions } from './roll-back'
import { VersionFields } from './version-fields'
import { lineRange } from './words'

export interface PlanRequest {
  clusterId: string
  manifests?: string
  groupId?: string
  version?: string
}

export interface PlanActions extends RollBackActions {
  plan(input: PlanRequest): Promise<ActionResult<PlanResult>>
}

type Way = 'manifests' | 'version'

/** What the form begins with: the former state of a group, or why that is not to be had. */
export type Given = GoingBack | { problem: string }

/** Before anybody writes it: what a change would do to each machine. What was typed stays, whatever comes of it. */
export function PlanPage({
  choices,
  given = null,
  actions,
}: {
  choices: PlanChoices
  given?: Given | null
  actions: PlanActions
}) {
  const back = given && 'manifests' in given ? given : null
  const [clusterId, setClusterId] = useState((back ? back.clusterId : choices.cluster) ?? '')
  const [way, setWay] = useState<Way>(choices.chosen ? 'version' : 'manifests')
  const [manifests, setManifests] = useState(back?.manifests ?? '')
  const [groupId, setGroupId] = useState(choices.chosen?.id ?? '')
  const [version, setVersion] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const asked = useAction(actions.plan)
  const problem = (name: string) => problemOf(asked.error?.fields, name)
  const placed = ['clusterId', 'manifests', 'groupId', 'version'].some(problem)
  const go = (line: number) => {
    const box = field.current
    if (!box) return
    const [from, to] = lineRange(box.value, line)
    box.focus()
    box.setSelectionRange(from, to)
    // A text area does not scroll to its selection by itself.
    box.scrollTop = (line - 3) * (box.scrollHeight / Math.max(1, box.value.split('\n').length))
  }
  if (choices.clusters.length === 0)
    return (
      <div className="max-w-[1240px]">
        <h1 className="mb-4">Plan a change</h1>
        <EmptyState title="No management cluster with Cluster API is connected.">
          Connect one on the page Clusters; then a change can be tried on its API server before anybody writes it.
        </EmptyState>
      </div>
    )
  return (
    <div className="max-w-[1240px]">
      <h1 className="mb-1">Plan a change</h1>
      <p className="mb-5 max-w-[76ch] text-pretty text-ink-2">
        What a change would do to each machine, before anybody writes it. It is tried on the API server, for its
        defaults and its validation, and compared with the machines that are there. Planning applies nothing, and keeps
        nothing.
      </p>
      {given && 'problem' in given && <p className="mb-4 max-w-[76ch] text-bad-ink">{given.problem}</p>}
      {back && (
        <>
          <RollBack changeId={back.changeId} actions={actions} />
          <h2 className="mb-1">Or write it where it is kept</h2>
          <p className="mb-4 max-w-[76ch] text-pretty text-ink-2">
            The group with its former template, to be written as you write other changes, or to be changed and planned.
          </p>
        </>
      )}
      <form
        className="grid max-w-[860px] gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          asked.run(way === 'manifests' ? { clusterId, manifests } : { clusterId, groupId, version })
        }}
      >
        <div className="max-w-[420px]">
          <Select
            label="Management cluster"
            value={clusterId}
            onChange={(event) => {
              setClusterId(event.target.value)
              setGroupId('')
            }}
            problem={problem('clusterId')}
          >
            {choices.clusters.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        </div>
        <fieldset>
          <legend className="mb-1 font-medium">What would be written</legend>
          <div className="flex flex-wrap gap-x-5 gap-y-1">
            {(['manifests', 'version'] as const).map((one) => (
              <label key={one} className="inline-flex min-h-8 items-center gap-2 max-phone:min-h-11">
                <input type="radio" name="way" checked={way === one} onChange={() => setWay(one)} />
                {one === 'manifests' ? 'Manifests' : 'Another version of a group'}
              </label>
            ))}
          </div>
        </fieldset>
        {way === 'manifests' ? (
          <ManifestsField ref={field} value={manifests} onChange={setManifests} problem={problem('manifests')} />
        ) : (
          <VersionFields
            groups={choices.groups.filter((group) => group.clusterId === clusterId)}
            groupId={groupId}
            version={version}
            onGroup={setGroupId}
            onVersion={setVersion}
            problem={problem}
          />
        )}
        {!placed && <ErrorState error={asked.error} />}
        <div>
          <Button type="submit" tone="primary" pending={asked.pending}>
            Plan
          </Button>
        </div>
      </form>
      <div aria-live="polite">
        {asked.value && <PlanOutcome result={asked.value} onLine={way === 'manifests' ? go : undefined} />}
      </div>
    </div>
  )
}
