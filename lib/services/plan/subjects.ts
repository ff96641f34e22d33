import type { KubeObject } from '@/lib/kubernetes/types'
import type { PlanDocument } from './types'

/** A group that the plan touches, as it would be. */
export interface Subject {
  /** As the API server would store it; null: it would be deleted. */
  planned: KubeObject | null
  /** Null: it does not exist yet. */
  live: KubeObject | null
  undetermined: string[]
  notes: string[]
}

/** What is gathered before anything is compared. */
export interface Gathered {
  documents: PlanDocument[]
  subjects: Map<string, Subject>
  /** Templates as they would be. */
  templates: KubeObject[]
}

export const keyOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`

/** The group's entry; one that more than one document touches has the newest planned state, and all that is said of it. */
export function addSubject(gathered: Gathered, subject: Subject): void {
  const object = subject.planned ?? subject.live
  if (!object) return
  const key = keyOf(object)
  const known = gathered.subjects.get(key)
  if (!known) return void gathered.subjects.set(key, subject)
  known.undetermined.push(...subject.undetermined)
  known.notes.push(...subject.notes)
}
