"""What acts: the text of an action, the single agent, the scripted teacher."""
