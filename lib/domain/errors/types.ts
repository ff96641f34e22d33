/** Whose words a message may be: the API family of the Machine, or what its infrastructure is made of. */
export type Provider =
  'cluster-api' | 'machine-api' | 'aws' | 'azure' | 'gcp' | 'vsphere' | 'metal3' | 'openstack' | 'docker'

/** Failure reason and message (or errorReason, errorMessage) of a Machine's status. */
export const FAILURE = 'Failure'
/** The infrastructure is there, and for too long no node. */
export const NEVER_JOINED = 'NeverJoined'
/** Cluster API's call of an updater failed, and the gate, through which it goes, has heard no updater fail. */
export const NOT_CALLED = 'NotCalled'
/** What the Machine Config Operator's daemon writes to a node. */
export const CONFIG_DAEMON = 'MachineConfigDaemon'

/** What is known of a machine's trouble, in its controllers' own words. */
export interface ErrorFacts {
  /** API group of the Machine: cluster.x-k8s.io, machine.openshift.io */
  api: string
  /** Kind of its infrastructure machine or provider spec ("AWSMachine", "VSphereMachineProviderSpec"); null: not known */
  infrastructure: string | null
  /** Type of the condition that says so. FAILURE: it stands in the status itself; NEVER_JOINED: nobody says so, only time; NOT_CALLED: so the gate has it; null: not known */
  condition: string | null
  reason: string | null
  message: string
}

/** Whether it passes by itself, and if so, after how long one should stop believing in it. */
export type Lasts = 'terminal' | { normally: string }

/** One error that Drydock knows. Of `condition`, `reason` and `message`, what is given must be there. */
export interface Entry {
  id: string
  /** Any of these; none given: whatever the machine is made of. */
  providers?: readonly Provider[]
  condition?: string | readonly string[]
  reason?: string | readonly string[]
  /** Any of these templates, anywhere in the message: "Pod {pod}: cannot evict". */
  message?: string | readonly string[]
  lasts: Lasts
  /** It tells what kind of error this is; what exactly went wrong only the message says. */
  general?: true
  /** A stage that every machine goes through: nothing is wrong. */
  stage?: true
  /** For lists, without a full stop; "{pod}" is what the template found, "{pod|a pod}" where it need not have. */
  short: string
  cause: string
  step: string
  /** Where upstream writes it (file and function), or the provider's documentation. */
  source: string
}

export interface Explained {
  entry: Entry
  /** `short`, with the names that the message gives. */
  words: string
}

/** An entry as a person reads it. */
export interface Explanation {
  id: string
  words: string
  terminal: boolean
  /** How long it takes where nothing is wrong; null: it does not pass by itself. */
  normally: string | null
  /** When it goes on all the same, for its drain is given up then; absent: nothing says so. */
  until?: string
  general: boolean
  stage: boolean
  cause: string
  step: string
  source: string
}
