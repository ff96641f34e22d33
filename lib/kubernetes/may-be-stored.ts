import type { KubeError } from './types'

/** Which of them says nothing of a write: an error of the API server's own. Admission comes before it is stored; a conversion webhook after. */
export const mayBeStored = ({ code, message }: Pick<KubeError, 'code' | 'message'>): boolean =>
  code >= 500 && (!/failed calling webhook|admission/i.test(message) || /conversion/i.test(message))
