import type { FailedRow } from '@/lib/db/queries/fleet'
import type { JoinDiagnosis } from '../machines/joining'

/**
 * Machines of a workload cluster that failed. Where their boot image is the cause, or most likely is, that is what is said: one
 * thing to do for all of them, and for every machine that is still to come.
 */
export function failedWords(
  { n, name, sentence, error, joining }: Omit<FailedRow, 'cluster' | 'workload' | 'id'>,
  found: ReadonlyMap<string, JoinDiagnosis>,
): { sentence: string; detail: string } {
  const why = joining.flatMap((id) => found.get(id) ?? [])
  const [first] = why
  if (n === 1) {
    if (first) return { sentence: `${name} ${first.words}`, detail: first.sentence }
    return { sentence: `${name} has failed`, detail: sentence || (error ?? '') }
  }
  const image = why.filter(({ certainty }) => certainty === 'boot-image' || certainty === 'likely')
  const worst = image.find(({ certainty }) => certainty === 'boot-image') ?? image[0]
  if (!worst) return { sentence: `${n} machines have failed`, detail: first?.sentence ?? error ?? '' }
  const of = image.length === n ? '' : `${image.length} of them `
  const likely = worst.certainty === 'likely' ? 'most likely ' : ''
  const because = `${of}${likely}because of ${image.length === 1 ? 'its' : 'their'} boot image`
  return {
    sentence: `${n} machines have failed${of || likely ? ', ' : ' '}${because}`,
    detail: worst.sentence,
  }
}
