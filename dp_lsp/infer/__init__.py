"""Sensitivity and privacy are inferred together: a mechanism is the step from what *moves* to what is *spent*, and
post-processing is free because what a mechanism returns moves with nothing. So there are not two languages to tell
apart.
"""
