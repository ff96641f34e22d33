import { describe, expect, it } from 'vitest'
import { letGoLater, type Words } from './why-let-go'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 9, minute))
const approvals = [1, 2].map((minute) => ({ actorName: 'Ada', at: at(minute).toISOString() }))
const decision = (more: object = {}) => ({ recordedAt: at(9), policy: { byCalendar: true, approvals, ...more } })
const none: Words = { said: [], waves: [] }
const overridden = [{ what: 'override', by: 'Ben', reason: 'CVE', at: at(9) }] as unknown as Words['said']

describe('what was approved before it was let go', () => {
  it('says when it was approved, and whose word let it go', () => {
    expect(letGoLater(decision(), undefined, { ...none, said: overridden })).toEqual({
      ...{ approvedAt: at(2).toISOString(), by: 'Ben did not wait for its times', reason: 'CVE' },
    })
    expect(letGoLater(decision(), undefined, none)).toMatchObject({ by: null, reason: null })
  })
  it('by the last word, and by none from before it was let go the last time', () => {
    const said = [{ what: 'all-machines', by: 'Cy', reason: null, at: at(8) }] as unknown as Words['said']
    expect(letGoLater(decision(), undefined, { ...none, said: [...said, ...overridden] })?.by).toBe(
      'Ben did not wait for its times',
    )
    expect(letGoLater(decision(), undefined, { ...none, said })?.by).toBe('Cy let all others go')
    expect(letGoLater(decision(), { acceptedAt: at(8) }, { ...none, said })?.by).toBeNull()
  })
  it('not by who had it not wait for its times, once that was taken back', () => {
    const ended = { what: 'override-ended', by: 'Cy', reason: null, at: at(4) }
    const early = { what: 'override', by: 'Ben', reason: 'CVE', at: at(3) }
    const said = (...more: object[]) => ({ ...none, said: more as Words['said'] })
    expect(letGoLater(decision(), undefined, said(early))?.by).toBe('Ben did not wait for its times')
    expect(letGoLater(decision(), undefined, said(early, ended))?.by).toBeNull()
    expect(letGoLater(decision(), undefined, said(early, ended, { ...early, at: at(5) }))?.by).not.toBeNull()
  })
  it('is nothing of what was let go with its approval, and nobody approved what asks nobody', () => {
    expect(letGoLater(decision({ byCalendar: undefined }), undefined, none)).toBeNull()
    expect(letGoLater(decision({ approvals: [] }), undefined, none)?.approvedAt).toBeNull()
  })
})
