import { isImageRead } from '../boot-images/image-read'
import { FLOOR_NOW, isUnsure } from '../skew/floors'
import { evidenceOf } from './evidence'
import { isByFilters, isOlder, judge, spokenImage, type Judged } from './judge'
import type { JoinCertainty, JoinDiagnosis, JoinFacts } from './types'
import { wayOut } from './way-out'

export type { JoinCertainty, JoinDiagnosis, JoinEvidence, JoinFacts, JoiningSaid, Mates } from './types'

/**
 * Why a machine whose instance is there does not join as a node. Nothing in the cluster says so: a boot that fails leaves no error
 * anywhere, so it is told by the image it starts from and by what became of others. `now` in ms.
 */
export function diagnose(facts: JoinFacts, now: number): JoinDiagnosis {
  const judged = judge(facts)
  const because = becauseOf(facts, judged)
  return {
    certainty: judged.certainty,
    sentence: `It never joined the cluster${leadOf(judged)}: ${because}.`,
    because,
    words: judged.why === 'other-arch' ? OTHER_ARCH : WORDS[judged.certainty],
    evidence: evidenceOf(facts, judged, now),
    wayOut: wayOut(facts, judged),
  }
}

/** Images of GCP and Azure are named by paths, of which the end tells them apart; that of a gallery is a number alone. */
function shortName(image: string | null): string | null {
  const parts = image?.split('/').filter(Boolean) ?? []
  return parts.slice(parts.at(-2) === 'versions' ? -3 : -1).join('/') || image
}

const WORDS: Record<JoinCertainty, string> = {
  'boot-image': 'never joined: its boot image is too old',
  likely: 'never joined, most likely because of its boot image',
  'not-the-image': 'never joined, and not because of its boot image',
  unknown: 'never joined; why is not known',
}

const OTHER_ARCH = 'never joined: its boot image is for another architecture'

const NOT_KNOWN = '. Whether that is its boot image is not known'

function leadOf({ certainty, why }: Judged): string {
  if (why === 'error' || why === 'stopped') return ''
  if (certainty === 'unknown') return NOT_KNOWN
  if (certainty === 'not-the-image') return ', and not because of its boot image'
  return certainty === 'likely' ? ', most likely because of its boot image' : ' because of its boot image'
}
/** Begins with a name, or in small letters, and has no full stop. */
function becauseOf(facts: JoinFacts, { certainty, why }: Judged): string {
  const { dated, floor, release, said } = facts
  const image = shortName(facts.image)
  const age = dated ? spokenImage(dated) : ''
  const limit = floor ?? FLOOR_NOW
  switch (why) {
    case 'error':
      return `${said.reason}`
    case 'stopped':
      return `its instance is ${said.instance}`
    case 'other-arch':
      return `${image} is for ${facts.otherArch}, and the machines of its set are not`
    case 'below': {
      const oldest = dated?.kind === 'OCPVersion' ? limit.ocp : `RHEL ${limit.rhel}`
      const likely = certainty === 'boot-image' || dated?.sure === 'certain' ? '' : 'likely '
      return `${image} is ${likely}of ${age}, below ${oldest}`
    }
    case 'only-others-join':
      return `${image} is of ${age}, and only newer images have joined since the cluster runs ${release.version}`
    case 'wanted':
      return 'that is the image of its release'
    case 'others-joined':
      return 'other machines with that image join'
    case 'no-image':
      if (isByFilters(facts)) return 'its spec names none by its id (ami.id)'
      return isImageRead(facts.platform)
        ? 'its spec names none'
        : `Drydock does not read which image it starts from${facts.platform ? ` on ${facts.platform}` : ''}`
    case 'accepted':
      // As old as the release itself it is accepted, whatever the limit.
      return dated && isUnsure(limit, dated.kind) && isOlder(facts)
        ? `${image} is of ${age}, and whether its release still accepts that is not known`
        : `${image} is of ${age}, which its release still accepts`
    case 'undated':
      return `nothing tells how old ${image} is`
  }
}
