import type { ConfigChange, ConfigDiff } from './config-diff'

interface Config {
  name: string
  release: string | null
}

/** What an operator knows it by, in one phrase: "OS image 4.19.3 → 4.19.5, 2 files and kernel arguments". */
export function configWords(from: Config, to: Config, diff: ConfigDiff | null): string {
  if (!diff) return `${shortConfig(to.name)}${to.release === null ? '' : ` of ${to.release}`}`
  const parts = partsOf(from, to, diff.changes)
  if (parts.length === 0) return `${shortConfig(to.name)}, in which nothing that is compared differs`
  return parts.length === 1 ? parts[0]! : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

/** "configuration 3f9a1c2e": the name of a rendered config is its pool's and the digest of its content. */
export const shortConfig = (name: string): string =>
  `configuration ${/-([0-9a-f]{32})$/.exec(name)?.[1]!.slice(0, 8) ?? name}`

function partsOf(from: Config, to: Config, changes: readonly ConfigChange[]): string[] {
  const values = changes.filter(({ part }) => part === 'value').map(({ name }) => name)
  const others = changes.filter(({ part }) => part === 'other').length
  const image = values.includes('osImageURL')
  const releases = from.release !== to.release ? ` ${from.release ?? 'unknown'} → ${to.release ?? 'unknown'}` : null
  const os = releases ? [`${image ? 'OS image' : 'release'}${releases}`] : image ? ['another OS image'] : []
  return [
    ...os,
    // The extensions of an OS image come with it.
    ...values.flatMap((name) =>
      name === 'osImageURL' || (image && name === EXTENSIONS) ? [] : [VALUES[name] ?? name],
    ),
    ...(['file', 'unit', 'extension'] as const).flatMap((part) => counted(changes, part)),
    ...(changes.some(({ part }) => part === 'kernel argument') ? ['kernel arguments'] : []),
    ...(changes.some(({ part }) => part === 'user') ? ['how users sign in'] : []),
    ...(others > 0
      ? [`${others} ${others === 1 ? 'part' : 'parts'} that ${others === 1 ? 'is' : 'are'} not compared`]
      : []),
  ]
}

const EXTENSIONS = 'baseOSExtensionsContainerImage'
const VALUES: Record<string, string> = {
  [EXTENSIONS]: 'the image of extensions',
  kernelType: 'kernel type',
  fips: 'FIPS mode',
}

/** One is told by its name where nothing else of a config differs. */
function counted(changes: readonly ConfigChange[], part: 'file' | 'unit' | 'extension'): string[] {
  const found = changes.filter((change) => change.part === part)
  if (found.length === 0) return []
  if (changes.length === 1) return [`${part} ${found[0]!.name}`]
  return [`${found.length} ${part}${found.length === 1 ? '' : 's'}`]
}
