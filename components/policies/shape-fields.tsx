import type { ComponentProps } from 'react'
import { Select, TextInput } from '@/components/ui'
import { DELETION_ORDERS, type Rules } from '@/lib/domain/policies'
import type { Typed } from './typed'
import { LABELS } from './words'

interface Props {
  field(key: keyof Typed): Omit<ComponentProps<typeof TextInput>, 'label'>
  choice(key: keyof Typed): Omit<ComponentProps<typeof Select>, 'label'>
  left(rule: keyof Rules): string
}

/** How its groups roll, and how their machines go: written to a group while it is held. */
export function ShapeFields({ field, choice, left }: Props) {
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1">
        <h2 className="text-md font-medium">How its groups roll</h2>
      </legend>
      <p className="-mt-1 text-sm text-ink-3">
        Written to a group while it is held, before anything of it goes. Empty: as the group itself says.
      </p>
      <div className="grid grid-cols-2 gap-3 max-phone:grid-cols-1">
        <TextInput
          label="maxSurge"
          mono
          {...field('maxSurge')}
          placeholder="1 or 25%"
          hint="Of control planes: 0 or 1. Of worker groups 0 needs more than 0 in maxUnavailable."
        />
        <TextInput
          label="maxUnavailable"
          mono
          {...field('maxUnavailable')}
          placeholder="0 or 10%"
          hint="Of worker groups."
        />
        <Select wide label={LABELS.deletionOrder} {...choice('deletionOrder')} hint="Of worker groups.">
          <option value="">{left('deletionOrder')}</option>
          {DELETION_ORDERS.map((order) => (
            <option key={order} value={order}>
              {ORDER[order]}
            </option>
          ))}
        </Select>
        <TextInput
          label={LABELS.drainTimeout}
          mono
          {...field('drainTimeout')}
          placeholder="15m"
          hint="After that its machine goes all the same; never: without limit."
        />
        <TextInput label={LABELS.detachTimeout} mono {...field('detachTimeout')} placeholder="5m" />
        <TextInput
          label={LABELS.updaterOrder}
          mono
          {...field('updaterOrder')}
          placeholder="kubelet, os"
          hint="In this order; the others after them."
        />
      </div>
    </fieldset>
  )
}

const ORDER: Record<(typeof DELETION_ORDERS)[number], string> = {
  Random: 'any (Random)',
  Newest: 'the newest',
  Oldest: 'the oldest',
}
