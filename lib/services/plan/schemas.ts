import * as z from 'zod'

const MOST_BYTES = 1024 * 1024

export const PlanInput = z
  .object({
    clusterId: z.uuid('Choose a management cluster.'),
    manifests: z
      .string('The manifests are a text.')
      .refine((text) => Buffer.byteLength(text) <= MOST_BYTES, 'At most 1 MiB of manifests can be planned at once.')
      .refine((text) => text.trim() !== '', 'Paste at least one manifest.')
      .optional(),
    groupId: z.uuid('Choose a group.').optional(),
    version: z
      .string('The version is a text, as v1.34.2.')
      .trim()
      .regex(/^v?\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/, 'A version has three numbers, as v1.34.2.')
      .transform((version) => (version.startsWith('v') ? version : `v${version}`))
      .optional(),
  })
  .superRefine(({ manifests, groupId, version }, context) => {
    const add = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
    if (manifests !== undefined && (groupId !== undefined || version !== undefined))
      add('manifests', 'Give manifests, or a group and a version, not both.')
    else if (manifests === undefined && groupId === undefined) add('manifests', 'Paste at least one manifest.')
    else if (manifests === undefined && version === undefined) add('version', 'Give the version, as v1.34.2.')
  })

export type PlanWanted = z.infer<typeof PlanInput>

export const ChoicesInput = z.object({
  /** Of the group that the form begins with. */
  groupId: z.uuid('This is not the id of a group.').optional().catch(undefined),
  cluster: z.string().max(253).optional().catch(undefined),
})
