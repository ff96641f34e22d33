import * as z from 'zod'
import { ClusterId } from '../clusters/schemas'

const LABEL_KEY = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/

const GovernanceFields = z.object({
  governs: z.enum(['none', 'all', 'namespace-label', 'object-label'], 'Choose which groups are governed.'),
  labelKey: z
    .string()
    .trim()
    .max(316, 'A label key has at most 253 characters before the slash and 63 after it.')
    .regex(LABEL_KEY, 'This is not a label key; it should look like drydock.dev/governed.')
    .nullish(),
  labelValue: z
    .string()
    .trim()
    .max(63, 'A label value has at most 63 characters.')
    .regex(LABEL_VALUE, 'A label value has letters, digits, dots, hyphens and underscores.')
    .nullish()
    .transform((value) => value || null),
  breakGlass: z
    .string()
    .trim()
    .min(1, 'Name the group whose members may release in an emergency.')
    .max(253, 'A group name has at most 253 characters.')
    .refine(
      (name) => !name.startsWith('system:'),
      'Groups that begin with system: are everybody’s; name one for emergencies.',
    )
    .optional(),
  reasonNeeded: z.boolean().optional(),
  /** How pools of OpenShift are held, where somebody chose. */
  pools: z.enum(['same-write', 'pausing'], 'Choose how changes of pools are held.').optional(),
})

const needsKey = <T extends z.ZodType<{ governs?: string; labelKey?: string | null }>>(schema: T) =>
  schema.refine((value) => !value.governs?.endsWith('-label') || Boolean(value.labelKey), {
    path: ['labelKey'],
    message: 'Give the label that marks what is governed, such as drydock.dev/governed.',
  })

const Webhook = z.object({
  webhookUrl: z
    .url('This is not an address; it should look like https://drydock.example.com:9443/latch.')
    .refine((url) => url.startsWith('https://'), 'The API server calls webhooks by https:// only.')
    .optional(),
})

const Looked = z.object({
  /** Of the governance that was looked at; 0: nobody had chosen any. */
  version: z.int('Say which version you looked at.').min(0, 'Say which version you looked at.').optional(),
})

export const SetGovernanceInput = needsKey(ClusterId.extend(GovernanceFields.shape).extend(Looked.shape))
const Latch = ClusterId.extend(GovernanceFields.partial().shape).extend(Webhook.shape)
export const PreviewLatchInput = needsKey(Latch)
export const InstallLatchInput = needsKey(Latch.extend(Looked.shape))
export const RemoveLatchInput = ClusterId.extend({
  /** What the caller saw as held ("MachineDeployment namespace/name"): it stays paused, but unguarded. */
  held: z.array(z.string()).default([]),
})
