import * as z from 'zod'

export const KubeconfigInput = z.object({
  kubeconfig: z.string('Paste or drop a kubeconfig.').min(1, 'Paste or drop a kubeconfig.'),
  context: z.string().optional(),
})

const Name = z
  .string('Give the management cluster a name.')
  .trim()
  .min(1, 'Give the management cluster a name.')
  .max(63, 'A name has at most 63 characters.')
  .regex(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
    'A name has lower-case letters, digits and hyphens, and begins and ends with a letter or digit.',
  )

export const AddClusterInput = KubeconfigInput.extend({ name: Name })
export const ReplaceCredentialsInput = KubeconfigInput.extend({
  clusterId: z.uuid('This is not the id of a management cluster.'),
})
export const ClusterId = z.object({ clusterId: z.uuid('This is not the id of a management cluster.') })
export const RbacInput = ClusterId.extend({ plan: z.boolean('Say yes or no.').optional() })
