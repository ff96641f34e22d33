/** Somebody, or a tool, that the object names as the writer of fields which going back changes. */
export interface FieldWriter {
  manager: string
  /** By server-side apply: it writes all of its fields each time. */
  applies: boolean
  at: string | null
}

const day = (at: string | null): string => (at ? ` (last ${at.slice(0, 16).replace('T', ' ')} UTC)` : '')

/** Who would write back what somebody rolls back, and when; those that write once, by hand, are not among them. */
export function writesBackWords(writers: readonly FieldWriter[]): string[] {
  const words = writers.flatMap(({ manager, applies, at }): string[] => {
    const who = `${manager}${day(at)}`
    if (/^argocd/.test(manager))
      return [`${who} writes these fields. Argo CD writes them back when it syncs: by itself within minutes.`]
    if (/^(kustomize|helm)-controller$/.test(manager))
      return [`${who} writes these fields. Flux writes them back at its next interval.`]
    if (/^kubectl-(client-side-apply|last-applied)$/.test(manager) || (applies && /^kubectl/.test(manager)))
      return [`${who} applied these fields from a file: whoever applies that file again writes them back.`]
    if (/^helm$/.test(manager)) return [`${who} writes these fields: the next upgrade of its release writes them back.`]
    return applies ? [`${who} applies these fields: it writes them back when it applies them next.`] : []
  })
  return words.length === 0
    ? []
    : [
        ...words,
        'Write the former state there as well, and first. What is written back is a change of its own, and held.',
      ]
}

/** A group that a ClusterClass manages: what to change instead of it. */
export function managedInstead(cluster: string, { from, to }: { from: string | null; to: string | null }): string {
  const back = 'A ClusterClass manages it: the topology controller would write this back at once.'
  return from !== null && to !== null
    ? `${back} Its version is spec.topology.version of the Cluster ${cluster}, which Cluster API does not let go down: write a version there that mends it, or reject the change.`
    : `${back} Take back what was changed in spec.topology of the Cluster ${cluster}, or in the templates of its ClusterClass.`
}
