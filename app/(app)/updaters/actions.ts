'use server'

import { action } from '@/lib/auth'
import { addUpdater } from '@/lib/services/updaters/add-updater'
import { checkUpdater } from '@/lib/services/updaters/check-updater'
import { moveUpdater } from '@/lib/services/updaters/move-updater'
import { removeUpdater } from '@/lib/services/updaters/remove-updater'
import { updateUpdater } from '@/lib/services/updaters/update-updater'

export const add = action(addUpdater)
export const edit = action(updateUpdater)
export const remove = action(removeUpdater)
export const move = action(moveUpdater)
export const check = action(checkUpdater)
