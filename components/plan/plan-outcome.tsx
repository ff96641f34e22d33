'use client'

import { Answer, Chip, Section, Table, Td, Th } from '@/components/ui'
import type { PlanDocument, PlanResult } from '@/lib/services/plan/types'
import { ComesTo } from './comes-to'
import { PlannedGroup } from './planned-group'
import { OUTCOMES } from './words'

/** So many groups are shown open; of more, each is opened when it is wanted. */
const OPEN = 2

/** What a plan comes to: in one sentence, document by document, group by group. */
export function PlanOutcome({ result, onLine }: { result: PlanResult; onLine?(line: number): void }) {
  return (
    <section className="mt-7 border-t border-line-strong pt-5" aria-label="The plan">
      <ComesTo verdict={result.verdict} />
      <h2 className="mt-2 mb-1 max-w-[72ch] text-lg text-pretty">{result.headline}</h2>
      <p className="text-sm text-ink-3">
        Planned for {result.clusterName}, as it is at this moment. Nothing was applied.
      </p>
      {result.documents.length > 0 && <Documents documents={result.documents} onLine={onLine} />}
      {result.groups.map((group) => (
        <PlannedGroup
          key={`${group.groupKind} ${group.namespace}/${group.groupName} ${group.fingerprint}`}
          group={group}
          open={result.groups.length <= OPEN}
        />
      ))}
    </section>
  )
}

function Documents({ documents, onLine }: { documents: PlanDocument[]; onLine?(line: number): void }) {
  return (
    <Section title="What was given" aside={documents.length}>
      <Table stack label="Documents of the plan">
        <thead>
          <tr>
            <Th>line</Th>
            <Th>object</Th>
            <Th>it would be</Th>
            <Th>what it means</Th>
          </tr>
        </thead>
        <tbody>
          {documents.map((document, i) => (
            <tr key={i}>
              <Td className="whitespace-nowrap">
                <Line document={document} onLine={onLine} />
              </Td>
              <Td className="font-mono text-sm break-all">
                {document.kind || 'not readable'}
                {document.name && (
                  <span className="block text-ink-3">
                    {document.namespace && `${document.namespace}/`}
                    {document.name}
                  </span>
                )}
              </Td>
              <Td>
                <Chip tone={OUTCOMES[document.outcome].tone}>{OUTCOMES[document.outcome].words}</Chip>
              </Td>
              <Td className="max-w-[560px] text-pretty max-phone:basis-full!">
                {document.sentence}
                {document.answer && <Answer>{document.answer}</Answer>}
              </Td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Section>
  )
}

function Line({ document, onLine }: { document: PlanDocument; onLine?(line: number): void }) {
  const line = document.errorLine ?? document.line
  if (line === null) return <span className="text-ink-3">follows</span>
  if (!onLine) return <>{line}</>
  return (
    <button type="button" className="btn btn-small" onClick={() => onLine(line)} aria-label={`Go to line ${line}`}>
      line {line}
    </button>
  )
}
