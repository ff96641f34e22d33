import type { FailedRow } from '@/lib/db/queries/fleet'
import type { JoinDiagnosis } from '../machines/joining'

/**
 * Machines of a workload cluster that failed. Where their boot image is the cause, or most likely is, that is what is said: one
 * thing to do for all of them, and for every machine that is still to come.
 */
export function failedWords(
  { n, told, name, sentence, error, joining }: Omit<FailedRow, 'cluster' | 'workload' | 'id'>,
  found: ReadonlyMap<string, JoinDiagnosis>,
): { sentence: string; detail: string } {
  const why = joining.flatMap((id) => found.get(id) ?? [])
  const [first] = why
  if (n === 1) {
    if (first) return { sentence: `${name} ${first.words}`, detail: detailOf(first) }
    return { sentence: `${name} has failed`, detail: sentence || (error ?? '') }
  }
  const image = why.filter(({ certainty }) => certainty === 'boot-image' || certainty === 'likely')
  const worst = image.find(({ certainty }) => certainty === 'boot-image') ?? image[0]
  const what = worst?.sentence ?? first?.sentence ?? error ?? ''
  const detail = told === 0 ? what : [what.replace(/([^.])$/, '$1.'), besides(told)].filter(Boolean).join(' ')
  if (!worst) return { sentence: `${n} machines have failed`, detail }
  const of = image.length === n ? '' : `${image.length} of them `
  const likely = worst.certainty === 'likely' ? 'most likely ' : ''
  const because = `${of}${likely}because of ${image.length === 1 ? 'its' : 'their'} boot image`
  return {
    sentence: `${n} machines have failed${of || likely ? ', ' : ' '}${because}`,
    detail,
  }
}

/** The list of all that failed, to which it leads, has those as well. */
const besides = (told: number): string =>
  told === 1
    ? 'The list has one more, whose node is degraded: that stands with its pool.'
    : `The list has ${told} more, whose nodes are degraded: that stands with their pools.`

/** Of what the line above says already, the rest; that nobody knows why is said whole. */
function detailOf({ certainty, sentence, because }: JoinDiagnosis): string {
  if (certainty === 'unknown') return sentence
  // An image is called what it is called.
  return `${certainty === 'not-the-image' ? because[0]!.toUpperCase() + because.slice(1) : because}.`
}
