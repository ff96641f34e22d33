import type { DatedImage, ImageVersion } from '../skew/evidence'
import type { Floor } from '../skew/floors'

/** What a Machine says of its instance as long as that has no node. */
export interface JoiningSaid {
  /** State of the instance in its provider's words: "running", "RUNNING", "poweredOn" */
  instance: string | null
  /** Secret that it starts with. */
  userData: string | null
  /** status.errorReason and errorMessage */
  reason: string | null
  message: string | null
}

/** Machines that are in the same place, by whether they have a node. */
export interface Mates {
  /** Made since the release was complete, and joined. */
  joined: number
  /** The first and the last of those, ISO. */
  first: string | null
  last: string | null
  /** Joined at any time. */
  ever: number
  /** Without a node for long, this one among them. */
  stuck: number
}

export interface JoinFacts {
  name: string
  namespace: string
  /** Its machine set or control plane set; null: nothing makes another in its place. */
  set: {
    kind: string
    name: string
    /** current | outdated | custom | excluded | unknown: the set's own image, not this machine's */
    state: string
    current: string | null
    /** How old that is; null: nothing tells. */
    dated: ImageVersion | null
    managed: boolean
    outcome: string
  } | null
  controlPlane: boolean
  clusterId: string
  cluster: string
  platform: string | null
  /** What its cluster runs, and since when that is complete; null: not known. */
  release: { version: string | null; completedAt: string | null }
  /** Newest RHCOS that the release's stream names. */
  streamRelease: string | null
  /** null: the release enforces none */
  floor: Floor | null
  createdAt: string
  /** Its instance is there since then at the latest. */
  since: string
  said: JoiningSaid
  providerId: string | null
  image: string | null
  /** The release's own image for its set. */
  wanted: boolean
  /** Its image is for that one, and the machines of its set are not; null: nothing tells so. */
  otherArch: string | null
  /** null: nothing tells how old it is */
  dated: DatedImage | null
  sameImage: Mates
  /** The release that the cluster ran when the newest of those was made that joined; null: none did, or it is not known. */
  joinedUnder: string | null
  sameSet: Mates
  /** Every machine of the cluster. */
  all: Pick<Mates, 'joined' | 'stuck'>
}

export type JoinCertainty = 'boot-image' | 'likely' | 'not-the-image' | 'unknown'

export interface JoinEvidence {
  /** What it speaks for: its image, something else, or neither. */
  says: 'image' | 'other' | 'nothing'
  sure: 'certain' | 'likely' | 'unknown'
  sentence: string
}

/** One step of the way out, in its order. */
export interface WayStep {
  sentence: string
  /** To be copied into a shell. */
  command?: string
  link?: { href: string; label: string }
}

export interface JoinDiagnosis {
  certainty: JoinCertainty
  /** The cause in one sentence, or that it is not known. */
  sentence: string
  /** What it ends with: "its instance is stopped"; a name, or small letters, and no full stop. */
  because: string
  /** The same in few words, for lists. */
  words: string
  evidence: JoinEvidence[]
  wayOut: WayStep[]
}
