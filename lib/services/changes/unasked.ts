import { db } from '@/lib/db/client'
import { gatesFor, type Capabilities } from '@/lib/domain/capabilities'
import { byItself, type Resolved } from '@/lib/domain/policies'
import { allAnsweredOtherwise } from './answered'
import { goingByItself, UNTOUCHED } from './by-itself'
import { changeSetOf, type ChangeDto } from './change-row'
import { forPeopleAmong } from './for-people'
import { wereByItself } from './give-approval'
import { planesAtRisk } from './plane'

/** Of a change that its policy asks nobody about: whether it goes by itself when its time comes, or why not. `open`: it is not known yet. */
export type Unasked = { goes: true; why: null } | { goes: false; why: string; open?: true }

type Asked = Pick<ChangeDto, 'id' | 'state' | 'heldBy' | 'groupKind' | 'outlook' | 'dueMode'>
type Mode = 'in-place' | 'replace'

const GOES: Unasked = { goes: true, why: null }
const asks = (why: string): Unasked => ({ goes: false, why })
/** Also what gets its version first, and is held anew with that. */
const HELD_BY = [...UNTOUCHED.heldBy.in, 'hook'] as const

/**
 * Of many, with a few queries, by their ids: nothing of one whose policy asks for approvals, or that is not held. Asks by the
 * very rules by which they are let go.
 */
export async function unaskedAmong(
  all: readonly { change: Asked; rules: Resolved; approved?: boolean }[],
): Promise<Map<string, Unasked>> {
  const found = new Map<string, Unasked>()
  const [due, untouched] = [new Map<string, Mode>(), new Map<string, Resolved>()]
  const open = new Map<string, Unasked>()
  for (const { change, rules } of all) {
    const { id, state, heldBy, groupKind, outlook, dueMode } = change
    if (rules.approvals.value > 0 || (state !== 'waiting' && !dueMode)) continue
    const told = byItself(rules, outlook, groupKind)
    const { way, why } = told
    const anew = dueMode === null && HELD_BY.some((one) => one === heldBy)
    if (way === null && told.open && anew) {
      untouched.set(id, rules)
      open.set(id, { goes: false, why, open: true })
    } else if (way === null) found.set(id, asks(why))
    else if (dueMode === way) due.set(id, way)
    else if (anew) untouched.set(id, rules)
    else if (dueMode === null) found.set(id, asks('Drydock does not hold it.'))
  }
  // Stopped in the middle by its times, it goes on as it began.
  const were = await wereByItself(db(), [...due.keys()])
  // Its approvals expired before it went: when its time comes it goes as what nobody approved.
  for (const { change, rules, approved } of all)
    if (due.has(change.id) && !were.has(change.id) && !approved) untouched.set(change.id, rules)
  const { going, kept } = await fromTheStart(untouched, open)
  const ways = new Map([...[...due].filter(([id]) => were.has(id)), ...going])
  const other = await rememberedAmong(ways)
  const goes = [...ways.keys()].map((id) => [id, other.has(id) ? asks(other.get(id)!) : GOES] as const)
  return new Map([...found, ...kept, ...goes])
}

/** Of what waits with nothing let go of it: what goes, in which way; and why the others do not. `open`: what is not known yet. */
async function fromTheStart(
  rules: ReadonlyMap<string, Resolved>,
  open: ReadonlyMap<string, Unasked>,
): Promise<{ going: Map<string, Mode>; kept: [string, Unasked][] }> {
  if (rules.size === 0) return { going: new Map(), kept: [] }
  const rows = await db().change.findMany({
    where: { ...UNTOUCHED, dueMode: undefined, id: { in: [...rules.keys()] }, heldBy: { in: [...HELD_BY] } },
    select: {
      ...{ id: true, clusterId: true, groupId: true, groupKind: true, namespace: true, groupName: true, outlook: true },
    },
  })
  const going = await goingByItself(
    db(),
    rows.map((change) => ({ change, rules: rules.get(change.id)! })),
  )
  const kept = [...rules.keys()].filter((id) => !going.has(id))
  const [forPeople, risks] = await Promise.all([
    forPeopleAmong(db(), kept),
    planesAtRisk(
      db(),
      rows.filter(({ id }) => !going.has(id)),
    ),
  ])
  const anew = new Set(rows.map(({ id }) => id))
  const why = (id: string): Unasked => {
    if (forPeople.has(id)) return asks(PEOPLE)
    if (risks.has(id)) return asks(`Somebody has to look: ${risks.get(id)}`)
    return (anew.has(id) && open.get(id)) || asks(BEFORE)
  }
  return { going, kept: kept.map((id) => [id, why(id)]) }
}

const PEOPLE =
  'This very state was decided on before, let go past Drydock, or began without having been held: from then on it is for people.'
const BEFORE = 'What was decided on or under way before is for people.'

/** Those about which Cluster API remembers another answer, and what. By the gates as they were found last: right before it goes the cluster is asked. */
export async function rememberedAmong(ways: ReadonlyMap<string, Mode>): Promise<Map<string, string>> {
  if (ways.size === 0) return new Map()
  const rows = await db().change.findMany({
    where: { id: { in: [...ways.keys()] }, groupKind: 'MachineDeployment' },
    select: { id: true, clusterId: true, groupId: true, groupKind: true, changeSet: true },
  })
  const other = await allAnsweredOtherwise(
    rows.map((row) => ({ group: { ...row, pairs: changeSetOf(row).pairs }, mode: ways.get(row.id)! })),
  )
  const said = rows.flatMap(({ id, clusterId }, i) => (other[i] ? [{ id, clusterId, why: other[i] }] : []))
  if (said.length === 0) return new Map()
  const clusters = await db().managementCluster.findMany({
    where: { id: { in: said.map(({ clusterId }) => clusterId) } },
    select: { id: true, discovery: true },
  })
  const asksNobody = new Set(clusters.flatMap(({ id, discovery }) => (gatesAreOff(discovery) ? [id] : [])))
  return new Map(
    said.flatMap(({ id, clusterId, why }) =>
      ways.get(id) === 'replace' && asksNobody.has(clusterId) ? [] : [[id, why] as const],
    ),
  )
}

/** Managers that ask nobody go by no answer: they replace. */
function gatesAreOff(discovery: unknown): boolean {
  const gates = (discovery as Partial<Capabilities> | null)?.gates
  return (
    gates !== undefined &&
    gatesFor(gates, 'MachineDeployment').some(({ state, rolling }) => state === 'off' && !rolling)
  )
}
