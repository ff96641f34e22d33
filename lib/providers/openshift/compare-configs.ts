import { createHash } from 'node:crypto'
import { canonical } from '@/lib/domain/changes/canonical'
import type { Json } from '@/lib/domain/json'
import { configDiff, type ConfigDiff } from '@/lib/domain/pools/config-diff'
import type { KubeObject } from '@/lib/kubernetes/types'
import { readRendered } from './rendered'

/** A rendered MachineConfig; or why it cannot be read, in one sentence. */
export type ReadConfig = (name: string) => Promise<KubeObject | { unread: string }>

/** What is known of two rendered configs once they were compared: a megabyte of text each is not kept for it. */
export interface ComparedConfigs {
  /** Of the very objects that were compared: whoever may can edit one. */
  versions: string
  /** Of all that stands in the one that is wanted. */
  content: string
  release: string | null
  /** Null: there is none before it, it is the same, or it is gone. */
  before: { release: string | null; diff: ConfigDiff } | null
}

export type CompareConfigs = (from: string | null, to: string) => Promise<ComparedConfigs | { unread: string }>

/** Compares them as they are now; `known` where these very objects were compared before. */
export async function compareConfigs<Unread extends { unread: string }>(
  read: (name: string) => Promise<KubeObject | Unread>,
  from: string | null,
  to: string,
  known: ComparedConfigs | null = null,
): Promise<ComparedConfigs | Unread> {
  const [desired, current] = await Promise.all([read(to), from === null || from === to ? null : read(from)])
  if ('unread' in desired) return desired
  const before = current && !('unread' in current) ? current : null
  const versions = [desired, before]
    .map((object) => `${object?.metadata.uid} ${object?.metadata.resourceVersion}`)
    .join()
  if (known?.versions === versions) return known
  const rendered = readRendered(desired)
  const content = createHash('sha256')
    .update(canonical((desired.spec ?? {}) as Json))
    .digest('hex')
  const compared = { versions, content, release: rendered.release }
  if (!before) return { ...compared, before: null }
  const was = readRendered(before)
  return { ...compared, before: { release: was.release, diff: configDiff(was, rendered) } }
}
