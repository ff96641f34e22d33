'use client'

import { Select, TextInput } from '@/components/ui'
import { KIND_WORDS } from '@/components/updates/words'
import type { GroupChoice } from '@/lib/services/plan/plan-choices'

/** "Change version to…": a group, and what it should run. */
export function VersionFields({
  groups,
  groupId,
  version,
  onGroup,
  onVersion,
  problem,
}: {
  groups: GroupChoice[]
  groupId: string
  version: string
  onGroup(id: string): void
  onVersion(version: string): void
  problem(field: string): string | undefined
}) {
  const clusters = [...new Set(groups.map((group) => `${group.namespace} / ${group.workloadCluster}`))]
  const chosen = groups.find(({ id }) => id === groupId)
  return (
    <div className="grid max-w-[640px] grid-cols-[minmax(0,1fr)_180px] gap-3 max-phone:grid-cols-1">
      <Select
        label="Group"
        value={groupId}
        onChange={(event) => onGroup(event.target.value)}
        problem={problem('groupId') ?? problem('manifests')}
      >
        <option value="">{groups.length > 0 ? `Choose one of ${groups.length}` : 'No group is known here yet'}</option>
        {clusters.map((cluster) => (
          <optgroup key={cluster} label={cluster}>
            {groups
              .filter((group) => `${group.namespace} / ${group.workloadCluster}` === cluster)
              .map(({ id, kind, name }) => (
                <option key={id} value={id}>
                  {name} ({KIND_WORDS[kind] ?? kind})
                </option>
              ))}
          </optgroup>
        ))}
      </Select>
      <TextInput
        label="Version"
        mono
        value={version}
        onChange={(event) => onVersion(event.target.value)}
        placeholder="v1.34.2"
        autoComplete="off"
        spellCheck={false}
        hint={chosen?.version ? `It is ${chosen.version} now.` : undefined}
        problem={problem('version')}
      />
    </div>
  )
}
