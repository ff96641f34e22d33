import type { OpenShiftCluster } from '@/lib/db/generated/client'
import { ServiceError } from '../errors'

type Unsupported = Pick<OpenShiftCluster, 'version' | 'availability' | 'floorOcp'>

/** That a cluster does not know the limit, or that nothing tells yet whether it does. `hint`: what to do where it does not. */
export const unsupported = ({ version, ...row }: Unsupported, hint: string, on = ''): ServiceError =>
  isUnread(row)
    ? notRead(
        `OpenShift ${version ?? ''}${on} knows boot image skew`,
        ', and a release that knows it says so in its status',
      )
    : new ServiceError('invalid', `OpenShift ${version ?? ''}${on} does not know boot image skew.`, { hint })

/** In the words of its page. */
export const nobodyActs = ({ modeWhy }: Pick<OpenShiftCluster, 'modeWhy'>): ServiceError =>
  new ServiceError('invalid', modeWhy ?? 'No operator of this cluster acts on its boot images.', {
    hint: 'What is written there is stored and changes nothing.',
  })

/** A schema without it is told before whatever else is missing; of a hosted one only the release tells that there should be one. */
const isUnread = ({ availability, floorOcp }: Omit<Unsupported, 'version'>): boolean =>
  availability === 'not-read' || availability === 'no-configuration' || (availability === 'hosted' && floorOcp !== null)

/** What the schema of its MachineConfiguration would tell. */
export const notRead = (what: string, besides = ''): ServiceError =>
  new ServiceError('invalid', `Whether ${what} could not be read.`, {
    hint: `Drydock asks the API server again every two minutes${besides}.`,
  })
