'use server'

import { action, look } from '@/lib/auth'
import { waveBesides } from '@/lib/services/changes/wave-besides'
import { beginWave } from '@/lib/services/waves/begin-wave'
import { resumeWaves } from '@/lib/services/waves/resume-waves'
import { skipWave } from '@/lib/services/waves/skip-wave'
import { stopWaves } from '@/lib/services/waves/stop-waves'
import { takeBackBegin } from '@/lib/services/waves/take-back-begin'
import { waitForWave } from '@/lib/services/waves/wait-for-wave'

export const begin = action(beginWave)
export const takeBack = action(takeBackBegin)
export const skip = action(skipWave)
export const waitFor = action(waitForWave)
export const stop = action(stopWaves)
export const resume = action(resumeWaves)
export const besides = look(waveBesides)
