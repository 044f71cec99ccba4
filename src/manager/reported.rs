//! The last reported prompt of each agent, to measure how much of the next one is the same.

use std::collections::VecDeque;

/// How many agents' prompts are kept at most.
const MAX_AGENTS: usize = 64;

/// How many bytes of prompts are kept at most: a few prompts of the default budget.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The last prompts of some agents, most recently reported last.
#[derive(Debug, Default)]
pub struct ReportedPrompts {
    prompts: VecDeque<(String, Vec<u8>)>,
}

impl ReportedPrompts {
    /// How many leading bytes a prompt shares with the agent's last one; `None` if that is not
    /// kept.
    pub fn stable_prefix(&self, agent_id: &str, prompt: &[u8]) -> Option<usize> {
        let (_, last) = self.prompts.iter().find(|(id, _)| id == agent_id)?;
        Some(last.iter().zip(prompt).take_while(|(old, new)| old == new).count())
    }

    /// Replaces the agent's last prompt, and forgets the oldest prompts if there are too many.
    pub fn keep(&mut self, agent_id: String, prompt: Vec<u8>) {
        if let Some(at) = self.prompts.iter().position(|(id, _)| *id == agent_id) {
            self.prompts.remove(at);
        }
        self.prompts.push_back((agent_id, prompt));
        while self.prompts.len() > MAX_AGENTS || self.memory_bytes() > MAX_BYTES {
            self.prompts.pop_front();
        }
    }

    /// Forgets the prompts of some agents.
    pub fn forget_all(&mut self, is_meant: impl Fn(&str) -> bool) {
        self.prompts.retain(|(agent_id, _)| !is_meant(agent_id));
    }

    /// Approximate memory use in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.prompts.iter().map(|(_, prompt)| prompt.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stable_prefix_is_measured_against_the_last_prompt() {
        let mut reported = ReportedPrompts::default();
        assert_eq!(reported.stable_prefix("a", b"abc"), None);
        reported.keep("a".into(), b"abc".to_vec());
        reported.keep("b".into(), b"xyz".to_vec());
        assert_eq!(reported.stable_prefix("a", b"abd"), Some(2));
        reported.keep("a".into(), b"abd".to_vec());
        assert_eq!(reported.stable_prefix("a", b"abd."), Some(3));
        assert_eq!(reported.memory_bytes(), 6);
    }

    #[test]
    fn memory_is_bounded_by_agents_and_by_bytes() {
        let mut reported = ReportedPrompts::default();
        for agent in 0..1000 {
            reported.keep(agent.to_string(), vec![0; 1000]);
        }
        assert_eq!(reported.memory_bytes(), MAX_AGENTS * 1000);
        assert!(reported.stable_prefix("999", &[0]).is_some());
        for agent in 0..100 {
            reported.keep(agent.to_string(), vec![0; 1024 * 1024]);
            assert!(reported.memory_bytes() <= MAX_BYTES);
        }
        reported.keep("large".into(), vec![0; MAX_BYTES + 1]);
        assert_eq!(reported.memory_bytes(), 0);
    }
}
