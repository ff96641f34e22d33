import type { OpenShiftCluster } from '@/lib/db/generated/client'
import { ServiceError } from '../errors'

/** That a cluster does not know the limit, or that nothing tells yet whether it does. `hint`: what to do where it does not. */
export const unsupported = (
  { version, availability }: Pick<OpenShiftCluster, 'version' | 'availability'>,
  hint: string,
  on = '',
): ServiceError =>
  availability === 'not-read'
    ? notRead(
        `OpenShift ${version ?? ''}${on} knows boot image skew`,
        ', and a release that knows it says so in its status',
      )
    : new ServiceError('invalid', `OpenShift ${version ?? ''}${on} does not know boot image skew.`, { hint })

/** What the schema of its MachineConfiguration would tell. */
export const notRead = (what: string, besides = ''): ServiceError =>
  new ServiceError('invalid', `Whether ${what} could not be read.`, {
    hint: `Drydock asks the API server again every two minutes${besides}.`,
  })
