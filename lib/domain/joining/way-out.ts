import { isShellName } from '../shell'
import { isByFilters, setName, setsImage, setsImageWords, type Judged } from './judge'
import type { JoinFacts, WayStep } from './types'

/** What to do, in this order. Of what is not known, first what costs nothing to look at. */
export function wayOut(facts: JoinFacts, { certainty, why }: Judged): WayStep[] {
  if (why === 'error') return [{ sentence: 'Do away with what the Machine reports.' }, ...remove(facts)]
  if (why === 'stopped')
    return [{ sentence: 'Start the instance at its provider, or delete the Machine.' }, ...remove(facts)]
  if (certainty === 'boot-image' || certainty === 'likely')
    return [
      { sentence: 'Read the console of its instance first, for it is gone with the Machine.', ...console(facts) },
      ...image(facts),
      ...remove(facts),
    ]
  const look = [
    ...requests(),
    ...(isByFilters(facts) ? [madeFrom(facts)] : []),
    {
      sentence:
        'Read the console of its instance: it says whether Ignition reaches the machine config server, and where the boot ends.',
      ...console(facts),
    },
    ...server(),
    userData(facts),
  ]
  // What takes its place is not to start from a worse image.
  const stands = setsImage(facts)
  const isWorse = stands === 'older' || stands === 'below' || (facts.wanted && stands === 'another')
  return certainty === 'unknown' || isWorse ? [...look, ...image(facts), ...remove(facts)] : [...look, ...remove(facts)]
}

/** Unless its set has a newer image already, or that of the release. */
function image(facts: JoinFacts): WayStep[] {
  const { set, clusterId, cluster } = facts
  const link = { href: `/boot-images/${clusterId}`, label: `Boot images of ${cluster}` }
  if (!set) return []
  const stands = setsImage(facts)
  if (stands === 'newer' || stands === 'of-release') {
    const which = setsImageWords(stands, facts.floor)
    return [{ sentence: `${setName(set, 'Its')} has ${which} already, and its next machine starts from that.` }]
  }
  const now = stands && {
    sentence: `${setName(set, 'Its')} has ${setsImageWords(stands, facts.floor)} by now, and its next machine would start from that.`,
  }
  return [...(now ? [now] : []), upToDate(set, link)]
}

function upToDate(set: NonNullable<JoinFacts['set']>, link: WayStep['link']): WayStep {
  const can = ['update', 'undecided', 'not-known'].includes(set.outcome)
  const sentence = !can
    ? `Bring the image of ${setName(set, 'its')} up to date by hand: the operator does not.`
    : set.managed
      ? `Wait until the operator has brought the image of ${setName(set, 'its')} up to date, which it does in a pass over all sets; see what keeps it from that.`
      : `Bring the image of ${setName(set, 'its')} up to date: let the operator manage it, or change it by hand.`
  return { sentence, link }
}

function remove({ name, namespace, set, controlPlane }: JoinFacts): WayStep[] {
  const command = commandOf(`oc delete machines.machine.openshift.io ${name} -n ${namespace}`, name, namespace)
  if (!set)
    return [{ sentence: 'Delete the Machine. Nothing makes another one: it belongs to no machine set.', ...command }]
  if (controlPlane)
    return [
      {
        sentence: 'Then delete the Machine, and no other of the control plane before the next one has joined.',
        ...command,
      },
    ]
  return [{ sentence: `Then delete the Machine: ${set.name} makes another one.`, ...command }]
}

const requests = (): WayStep[] => [
  {
    sentence:
      'See whether certificate requests wait: one that is Pending and names this machine keeps its node away. Approve it with oc adm certificate approve.',
    command: 'oc get csr',
  },
]

const server = (): WayStep[] => [
  {
    sentence:
      'See whether the machine config server runs. Its port 22623 at the internal name of the API has to be reachable from the machine’s subnet.',
    command: 'oc get pods -n openshift-machine-config-operator -l k8s-app=machine-config-server',
  },
]

/** A command that somebody copies into a shell; none where what the cluster says is more than a name. */
const commandOf = (command: string, ...parts: string[]): Pick<WayStep, 'command'> =>
  parts.every(isShellName) ? { command } : {}

const userData = ({ said, namespace }: JoinFacts): WayStep => {
  const secret = said.userData ?? 'worker-user-data'
  const get = `oc get secret ${secret} -n ${namespace} -o jsonpath='{.data.userData}'`
  return {
    sentence:
      'See which version of Ignition its user data is written for: images of 4.6 and later understand 3.x only.',
    ...commandOf(`${get} | base64 -d | jq -r .ignition.version`, secret, namespace),
  }
}

/** What filters found as it was made. */
const madeFrom = ({ providerId }: JoinFacts): WayStep => ({
  sentence: 'See which image its instance was made from, and how old that is.',
  ...ofInstance(
    "aws ec2 describe-instances --query 'Reservations[].Instances[].ImageId' --output text --instance-ids",
    providerId,
  ),
})

/** A command of AWS about its instance, in its region. */
function ofInstance(command: string, providerId: string | null): Pick<WayStep, 'command'> {
  const [id, zone] = (providerId ?? '').split('/').filter(Boolean).reverse()
  if (!id) return {}
  const region = zone && /^[a-z]+(-[a-z]+)+-\d/.exec(zone)?.[0]
  return commandOf(region ? `${command} ${id} --region ${region}` : `${command} ${id}`, id)
}

/** How a provider shows what an instance writes while it boots. */
function console({ providerId, platform, name }: JoinFacts): Pick<WayStep, 'command'> {
  const parts = (providerId ?? '').split('/').filter(Boolean)
  const id = parts.at(-1)
  if (!id) return {}
  const [project, zone] = [parts.at(-3), parts.at(-2)]
  if (platform === 'AWS')
    return ofInstance('aws ec2 get-console-output --latest --output text --instance-id', providerId)
  if (platform === 'GCP') {
    const get = `gcloud compute instances get-serial-port-output ${id}`
    return zone && project
      ? commandOf(`${get} --zone ${zone} --project ${project}`, id, zone, project)
      : commandOf(get, id)
  }
  if (platform === 'Azure') {
    const ids = (providerId as string).replace('azure://', '')
    return commandOf(`az vm boot-diagnostics get-boot-log --ids ${ids}`, ids)
  }
  return platform === 'VSphere' ? commandOf(`govc vm.console ${name}`, name) : {}
}
