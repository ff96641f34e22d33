import type { OpenShiftCluster } from '@/lib/db/generated/client'
import { ServiceError } from '../errors'

/** That a cluster does not know the limit, or that nothing tells yet whether it does. `hint`: what to do where it does not. */
export const unsupported = (
  { version, availability }: Pick<OpenShiftCluster, 'version' | 'availability'>,
  hint: string,
  on = '',
): ServiceError =>
  availability === 'not-read'
    ? new ServiceError('invalid', `Whether OpenShift ${version ?? ''}${on} knows boot image skew could not be read.`, {
        hint: 'Drydock asks the API server again every two minutes, and a release that knows it says so in its status.',
      })
    : new ServiceError('invalid', `OpenShift ${version ?? ''}${on} does not know boot image skew.`, { hint })
