"""Reports: views of an explanation. Each is a function of the finished result and computes nothing new."""
