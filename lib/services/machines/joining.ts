import { mayBeReplaced } from '@/lib/domain/boot-images/may-be-replaced'
import { isSureByName } from '@/lib/domain/boot-images/version-in-name'
import { joiningRows, type JoiningRow, type MatesRow } from '@/lib/db/queries/joining'
import { diagnose, type JoinDiagnosis, type JoinFacts, type Mates } from '@/lib/domain/joining'
import { releaseAt, standsToRelease, type DatedImage, type ImageVersion, type Sure } from '@/lib/domain/skew/evidence'
import { datedFromText } from '@/lib/domain/skew/dated-text'
import { storedFloor } from '@/lib/domain/skew/stored'

export type { JoinDiagnosis } from '@/lib/domain/joining'

/**
 * Why each of these machines does not join, of those that have an instance and no node; for verbs that have asked for permission.
 * It is found when somebody looks, for it rests on what becomes of other machines.
 */
export async function diagnoses(ids: readonly string[]): Promise<Map<string, JoinDiagnosis>> {
  const now = Date.now()
  return new Map((await joiningRows(ids)).map((row) => [row.id, diagnose(factsOf(row), now)]))
}

function factsOf(row: JoiningRow): JoinFacts {
  const { floorOcp, floorRhel, unsure, groupKind, groupName } = row
  return {
    ...{ name: row.name, namespace: row.namespace, controlPlane: row.controlPlane },
    ...{ clusterId: row.clusterId, cluster: row.cluster, platform: row.platform },
    set:
      groupKind && groupName
        ? {
            ...{ kind: groupKind, name: groupName, state: row.setState ?? 'unknown', current: row.setCurrent },
            dated: row.setDated === null ? null : versionOf(row.setDated, row, row.setState === 'current'),
            ...{ managed: row.managed ?? false, outcome: row.outcome ?? 'undecided' },
          }
        : null,
    release: { version: row.version, completedAt: row.completedAt },
    streamRelease: row.streamRelease,
    floor: storedFloor({ floorOcp, floorRhel, evidence: { ...(unsure && { unsure }) } }),
    createdAt: row.createdAt.toISOString(),
    since: row.since.toISOString(),
    said: row.said,
    ...{
      providerId: row.providerId,
      image: row.image,
      wanted: row.wanted,
      otherArch: row.otherArch,
      dated: datedOf(row),
    },
    ...{
      sameImage: mates(row.sameImage),
      joinedUnder: joinedUnder(row),
      sameSet: mates(row.sameSet),
      all: mates(row.all),
    },
  }
}

/** As Postgres writes moments in JSON, so that they compare as text. */
const mates = ({ newest: _, ...row }: MatesRow): Mates => ({ ...row, first: iso(row.first), last: iso(row.last) })
const iso = (at: string | null): string | null => at && new Date(at).toISOString()

/** What has the same name may have been another image then. */
function joinedUnder({ sameImage: { newest }, history, platform }: JoiningRow): string | null {
  if (newest === null || mayBeReplaced(platform)) return null
  return releaseAt(history ?? [], Date.parse(newest)) ?? null
}

/** How old an image is, and how that stands to the release. `exact`: a release is named whole. */
function versionOf(text: string, { platform, streamVersion, rhcos }: JoiningRow, exact: boolean): ImageVersion {
  const { kind, version } = datedFromText(text)
  // Offers on Azure name the minor release of OpenShift alone.
  if (kind === 'OCPVersion')
    return { kind, version, ...(!exact && platform === 'Azure' && version.endsWith('.0') && { minorOnly: true }) }
  const stands = standsToRelease(version, rhcos ?? [])
  return { kind, version, ...(stands && { ofRelease: { stands, release: streamVersion } }) }
}

/** The image's own name says more than a set's history. */
function datedOf(row: JoiningRow): DatedImage | null {
  const { imageVersion, platform, wanted, streamVersion, dated, datedSure } = row
  if (imageVersion)
    return {
      ...versionOf(imageVersion, row, false),
      sure: isSureByName(row.image ?? '', platform ?? '') ? 'certain' : 'likely',
      because: 'its name says so',
    }
  if (wanted && streamVersion)
    return { kind: 'OCPVersion', version: streamVersion, sure: 'certain', because: 'it is the image of the release' }
  return dated
    ? { ...versionOf(dated, row, false), sure: (datedSure ?? 'likely') as Sure, because: 'a machine set tells' }
    : null
}
