import type { Governance, LatchForm } from './parts'

/** What the latch does and does not do on this cluster, in words, before anything is installed. */
export function latchWords(form: LatchForm, guard: boolean, governance: Governance, breakGlassGroup: string) {
  return {
    why: WHY[form],
    strength: strength(form, guard, governance, breakGlassGroup),
    sideEffects: [...SIDE_EFFECTS],
  }
}

const WHY: Record<LatchForm, string> = {
  'policy-v1':
    'The API server evaluates MutatingAdmissionPolicy itself (v1): no process of Drydock has to live for a change to be held.',
  'policy-v1beta1':
    'The API server evaluates MutatingAdmissionPolicy itself (v1beta1): no process of Drydock has to live for a change to be held.',
  webhook:
    'This API server has no MutatingAdmissionPolicy (it is served since Kubernetes 1.36, as beta before): a webhook with the same conditions holds changes, served by Drydock’s update gate.',
}

function strength(form: LatchForm, guard: boolean, governance: Governance, group: string): string[] {
  const lines = [
    'A write that would roll out machines of a governed group is paused in that same write, before any controller has seen it, whoever writes it and through whichever API version.',
    'A further change of something that is held, or already released and rolling, is held again.',
    guard
      ? `Only Drydock, or a member of the group ${group}, can remove the hold and the pause.`
      : 'This API server has no ValidatingAdmissionPolicy: anybody who may edit a group can remove its hold. Drydock shows that, but cannot prevent it.',
    'Not prevented: deleting machines or whole groups by hand, writing what a group owns (its machine sets, its machines) instead of the group, and whoever may impersonate Drydock’s user.',
  ]
  if (form === 'webhook') {
    lines.push(
      'While Drydock’s gate cannot be reached, writes that would roll out governed machines are refused; scaling, labels and everything else go through.',
    )
  } else {
    lines.push(
      'The API server evaluates no policy on policies: whoever may edit admission policies can remove the latch. Drydock notices within seconds, says so and puts it back; what is held meanwhile stays paused.',
    )
  }
  if (governance.governs === 'namespace-label') lines.push('Whoever may label namespaces decides what is governed.')
  if (governance.governs === 'object-label')
    lines.push(
      'Whoever may label a group decides whether it is governed: a label taken away first is not seen by the latch.',
    )
  if (governance.governs === 'none')
    lines.push('No groups are governed: nothing new is held; what is held stays guarded.')
  return lines
}

const SIDE_EFFECTS = [
  'A held MachineDeployment is not scaled, does not pass on labels and time-outs, and its status stands still.',
  'A held control plane is not scaled, its machines are not remediated, and certificates and the kubeconfig are not renewed.',
  'While a control plane’s version change is held, its workload cluster gets no new worker machines.',
]
