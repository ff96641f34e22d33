import type { ActionResult } from '@/lib/auth'
import type { Ctx } from '@/lib/services/context'
import type { addUpdater } from '@/lib/services/updaters/add-updater'
import type { checkUpdater } from '@/lib/services/updaters/check-updater'
import type { moveUpdater } from '@/lib/services/updaters/move-updater'
import type { removeUpdater } from '@/lib/services/updaters/remove-updater'
import type { updateUpdater } from '@/lib/services/updaters/update-updater'

/** A verb as the page's server action hands it down. */
type Act<Verb> = Verb extends (ctx: Ctx, ...input: infer Input) => Promise<infer T>
  ? (...input: Input) => Promise<ActionResult<T>>
  : never

export interface UpdaterActions {
  add: Act<typeof addUpdater>
  edit: Act<typeof updateUpdater>
  remove: Act<typeof removeUpdater>
  move: Act<typeof moveUpdater>
  check: Act<typeof checkUpdater>
}
