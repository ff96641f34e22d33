import type { Permission } from '@/lib/services/context'

/**
 * Every door of Drydock and the permission that it asks for. `app/access.test.ts` fails for a door that is not here, and
 * tries each as nobody and as each role.
 */
export type Door = Permission | 'public'

/** Pages, by their folder under app/. */
export const PAGES: Record<string, Door> = {
  '/': 'fleet:read',
  '/updates': 'fleet:read',
  '/updates/[id]': 'fleet:read',
  '/plan': 'changes:plan',
  '/machines': 'fleet:read',
  '/boot-images': 'fleet:read',
  '/updaters': 'fleet:read',
  '/policies': 'fleet:read',
  '/policies/new': 'policies:write',
  '/policies/[id]': 'fleet:read',
  '/clusters': 'fleet:read',
  '/clusters/new': 'clusters:write',
  '/clusters/[id]': 'fleet:read',
  '/activity': 'activity:read',
  '/sign-in': 'public',
  '/sign-in/[token]': 'public',
}

/** Route handlers, by method and folder. */
export const ROUTES: Record<string, Door> = {
  'GET /api/shell': 'fleet:read',
  'GET /api/fleet': 'fleet:read',
  'GET /api/search': 'fleet:read',
  'GET /api/updates': 'fleet:read',
  'GET /api/updates/[id]': 'fleet:read',
  'GET /api/updates/[id]/forecast': 'fleet:read',
  'GET /api/machines': 'fleet:read',
  'GET /api/machines/[id]': 'fleet:read',
  'GET /api/clusters': 'fleet:read',
  'GET /api/clusters/[id]': 'fleet:read',
  'GET /api/boot-images': 'fleet:read',
  'GET /api/updaters': 'fleet:read',
  'GET /api/policies': 'fleet:read',
  'GET /api/stream': 'fleet:read',
  'GET /api/health': 'public',
  'GET /api/metrics': 'fleet:read',
  'GET /api/activity': 'activity:read',
  'GET /api/audit': 'activity:read',
  // Sign-in and sign-out; everything else below it is not found.
  'POST /api/auth/[...all]': 'public',
}

/** Server actions, by file under app/ (without route groups) and name. */
export const ACTIONS: Record<string, Door> = {
  'clusters/actions.ts inspect': 'clusters:write',
  'clusters/actions.ts test': 'clusters:write',
  'clusters/actions.ts add': 'clusters:write',
  'clusters/actions.ts replace': 'clusters:write',
  'clusters/actions.ts latchPreview': 'fleet:read',
  'clusters/actions.ts latchInstall': 'clusters:write',
  'clusters/actions.ts latchCheck': 'fleet:read',
  'clusters/actions.ts latchRepair': 'clusters:write',
  'clusters/actions.ts latchRemovePlan': 'clusters:write',
  'clusters/actions.ts latchRemove': 'clusters:write',
  'clusters/actions.ts governance': 'clusters:write',
  'clusters/actions.ts gatePreview': 'fleet:read',
  'clusters/actions.ts gateRegister': 'clusters:write',
  'clusters/actions.ts gateCheck': 'fleet:read',
  'clusters/actions.ts disconnectPlan': 'clusters:write',
  'clusters/actions.ts disconnect': 'clusters:write',
  'updaters/actions.ts add': 'updaters:write',
  'updaters/actions.ts edit': 'updaters:write',
  'updaters/actions.ts remove': 'updaters:write',
  'updaters/actions.ts move': 'updaters:write',
  'updaters/actions.ts check': 'updaters:write',
  'updates/actions.ts previewAction': 'fleet:read',
  'updates/actions.ts approveAction': 'changes:approve',
  'updates/actions.ts rejectAction': 'changes:reject',
  'updates/actions.ts retryAction': 'changes:reject',
  'updates/actions.ts withdrawAction': 'changes:approve',
  'updates/actions.ts overrideAction': 'changes:override',
  'updates/actions.ts restoreAction': 'changes:override',
  'updates/actions.ts acceptFailuresAction': 'changes:approve',
  'updates/actions.ts restoreLimitAction': 'changes:reject',
  'updates/actions.ts pauseAction': 'changes:reject',
  'updates/actions.ts resumeAction': 'changes:approve',
  'policies/actions.ts save': 'policies:write',
  'policies/actions.ts remove': 'policies:write',
  'policies/actions.ts preview': 'fleet:read',
  'policies/actions.ts importYaml': 'policies:write',
  'policies/actions.ts exportYaml': 'fleet:read',
  'plan/actions.ts planAction': 'changes:plan',
  'boot-images/actions.ts preview': 'skew:act',
  'boot-images/actions.ts acknowledge': 'skew:act',
  'boot-images/actions.ts optOut': 'skew:act',
  'boot-images/actions.ts automatic': 'skew:act',
  'boot-images/actions.ts retry': 'skew:act',
  'activity/actions.ts verify': 'audit:verify',
  'sign-in/actions.ts signInAction': 'public',
  'sign-in/actions.ts useLinkAction': 'public',
  'sign-in/actions.ts signOutAction': 'public',
}
