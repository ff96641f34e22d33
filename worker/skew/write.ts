import { announce } from '@/lib/db/notify'
import { MAY_TAKE } from '@/lib/db/read-model/write'
import { db } from '@/lib/db/client'
import { Prisma } from '@/lib/db/generated/client'
import { json, jsonText } from '@/lib/db/json'
import { riskScore } from '@/lib/domain/skew/risk'
import type { Judgement } from '@/lib/domain/skew/verdict'
import { storableDeep } from '@/lib/domain/text'
import { versionKey } from '@/lib/domain/version'
import type { BootImageSetRow } from '@/lib/providers/openshift/set-rows'
import type { SkewRows } from '@/lib/providers/openshift/skew-rows'
import { isOwned } from '../owned'
import { heardLast } from '../silence'

export interface Write {
  clusterId: string
  fence: bigint
  rows: SkewRows
  judgement: Judgement
  /** What the operator says of its last pass, where that failed. */
  passFailed: string | null
  /** That it stands still in the middle of one. */
  passStuck: string | null
  /** Streams that are not heard any more, where `rows` says so. */
  silent?: string[]
  /** What is kept of the control plane's set stays: it is not listed yet, or cannot be. */
  keepPlanes?: boolean
  heardAt?: number
}

/** Writes a cluster's card and its machine sets in one transaction. False: another worker owns the cluster by now. */
export async function writeSkew(write: Write): Promise<boolean> {
  const { clusterId, fence, silent = [], keepPlanes = false, heardAt } = write
  const { rows, judgement, passFailed, passStuck } = storableDeep(write) as Write
  const { state } = rows
  const data = {
    infrastructureName: rows.infrastructureName,
    version: rows.version,
    platform: rows.platform,
    topology: rows.topology,
    skewSupported: rows.supported === true,
    mode: state?.mode ?? null,
    recordedOcp: state?.recorded.ocpVersion ?? null,
    recordedRhcos: state?.recorded.rhcosVersion ?? null,
    verdict: judgement.verdict,
    sentence: judgement.sentence,
    blocks: judgement.blocks,
    floorOcp: rows.floor?.ocp ?? null,
    floorRhel: rows.floor?.rhel ?? null,
    evidence: json(rows.evidence),
    managed: json(rows.managed),
    conditions: json(state?.conditions ?? []),
    specSkew: state?.spec ? json(state.spec) : Prisma.DbNull,
    resourceVersion: rows.resourceVersion,
    configurationUid: rows.uid,
    generation: BigInt(state?.generation ?? 0),
    observedGeneration: BigInt(state?.observedGeneration ?? 0),
    seenAt: new Date(),
    availability: rows.availability,
    modeWhy: rows.modeWhy,
    distance: rows.distance?.minors ?? null,
    risk: riskScore(
      judgement,
      rows.nodeRisk.level,
      rows.flaggedWhy !== null,
      rows.distance,
      passFailed !== null || passStuck !== null,
    ),
    nodeRisk: rows.nodeRisk.level,
    nodeRiskWhy: rows.nodeRisk.sentence,
    confidence: rows.confidence.level,
    confidenceWhy: rows.confidence.why,
    managedMode: rows.managedMode,
    flaggedWhy: rows.flaggedWhy,
    updateOpen: rows.updateOpen,
    versionKey: versionKey(rows.version),
    passFailed,
    passStuck,
    unheardWhy: rows.unheardWhy,
  }
  return db().$transaction(async (tx) => {
    if (!(await isOwned(tx, clusterId, fence))) return false
    const unheardSince = rows.unheardWhy === null ? null : await unheardFrom(tx, clusterId, silent)
    const all = { ...data, unheardSince }
    await tx.openShiftCluster.upsert({ where: { clusterId }, create: { clusterId, ...all }, update: all })
    const gone = { clusterId, id: { notIn: rows.sets.map((s) => s.id) } }
    await tx.bootImageSet.deleteMany({ where: { ...gone, ...(keepPlanes && { kind: 'MachineSet' }) } })
    if (rows.sets.length > 0) await writeSets(tx, clusterId, rows.sets)
    await announce(tx, { topic: 'boot-images', cluster: clusterId, heardAt })
    return true
  })
}

/** Where nothing tells since when they are silent, since this was told last. */
export async function unheardFrom(tx: Prisma.TransactionClient, clusterId: string, silent: string[]): Promise<Date> {
  const heard = await heardLast(tx, clusterId, silent)
  if (heard) return heard
  const row = await tx.openShiftCluster.findUnique({ where: { clusterId } })
  return row?.unheardSince ?? row?.seenAt ?? new Date()
}

/** So many images of before are kept of a set. */
const FORMER = 8
/** With another image what was told of the one before is kept: nothing else tells it of the machines that started from that. */
const former = Prisma.sql`CASE WHEN t.dated IS NULL OR t.current IS NULL OR t.current IS NOT DISTINCT FROM EXCLUDED.current THEN t.former
  ELSE (SELECT jsonb_agg(f ORDER BY n) FROM (
    SELECT f, n FROM jsonb_array_elements(jsonb_build_object('image', t.current, 'dated', t.dated, 'sure', t.dated_sure) || t.former)
      WITH ORDINALITY AS e(f, n) WHERE n = 1 OR f->>'image' <> t.current ORDER BY n LIMIT ${FORMER}) k) END`

/** All of a cluster's machine sets in one statement. */
async function writeSets(tx: Prisma.TransactionClient, clusterId: string, sets: BootImageSetRow[]): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO boot_image_set AS t (cluster_id, id, kind, namespace, name, replicas, state, reason, current, wanted, managed,
      outcome, arch, dated, dated_sure, marketplace, error, labels)
    SELECT ${clusterId}::uuid, r.id, r.kind, r.namespace, r.name, r.replicas, r.state, r.reason, r.current, r.wanted, r.managed,
      r.outcome, r.arch, r.dated, r."datedSure", r.marketplace, r.error, r.labels
    FROM jsonb_to_recordset(${jsonText(sets)}::jsonb) AS r(id uuid, kind text, namespace text, name text, replicas int,
      state text, reason text, current text, wanted text, managed boolean, outcome text, arch text, dated text,
      "datedSure" text, marketplace boolean, error text, labels jsonb)
    ON CONFLICT (id) DO UPDATE SET (cluster_id, kind, namespace, name, replicas, state, reason, current, wanted, managed,
      outcome, arch, dated, dated_sure, marketplace, error, labels, former) = (EXCLUDED.cluster_id, EXCLUDED.kind, EXCLUDED.namespace,
      EXCLUDED.name, EXCLUDED.replicas, EXCLUDED.state, EXCLUDED.reason, EXCLUDED.current, EXCLUDED.wanted, EXCLUDED.managed,
      EXCLUDED.outcome, EXCLUDED.arch, EXCLUDED.dated, EXCLUDED.dated_sure, EXCLUDED.marketplace, EXCLUDED.error, EXCLUDED.labels, ${former})
    WHERE ${Prisma.raw(MAY_TAKE)}`
}
