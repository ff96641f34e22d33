import { KubeError } from '@/lib/kubernetes/types'

/** Too much to do; an error of the API server, of etcd or of what stands before them. */
const CANNOT = [429, 500, 502, 503, 504]
/** Of admission, with whatever code its author chose: somebody does not want it. One that is not reached denies nothing. */
const DENIED = /\bdenied (the )?request\b/i

/** The API server cannot at this moment, whatever it is asked: it may be asked again. All else that it answers is meant so. */
export const isMomentary = (error: unknown): error is KubeError =>
  error instanceof KubeError && CANNOT.includes(error.code) && !DENIED.test(error.message)
